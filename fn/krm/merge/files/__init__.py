"""Whole files of a merge: their objects matched, merged one by one, and written into local's text.

directories        three directories, in which an object may move from file to file
documents          three files, or the sides of one object
matching           which objects are the same
list_documents     which lists of objects are the same
writing            the text that a file becomes
file_lines         the documents of a file put together, and what stands between them
document_lines     documents as lines within structure
comment_documents  documents of comments alone
plainfiles         files without objects, line by line
"""
