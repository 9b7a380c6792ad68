"""Whole files of a merge: their objects matched, merged one by one, and put together.

directories     three directories, in which an object may move from file to file; files without objects line by line
documents       three files
matching        which objects are the same
list_documents  which lists of objects are the same
merging         objects merged one by one
object_lines    the lines of one object
becoming        what becomes of an object: a document, or an element of a list
composition     a file of what becomes of its objects
file_lines      the documents of a file in their order, and what stands between them
document_lines  documents as lines within structure, for git
"""
