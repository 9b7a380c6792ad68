"""Whole files of a merge: their objects matched, merged one by one, and put together.

directories     three directories, in which an object may move from file to file; files without objects line by line
documents       three files
matching        which objects are the same
list_documents  which lists of objects are the same
merging         objects merged one by one
becoming        what becomes of an object by its lines: a document, or an element of a list
composition     a file of what becomes of its objects, in their order, and what stands between them;
                or the merge by lines, where that is right
"""
