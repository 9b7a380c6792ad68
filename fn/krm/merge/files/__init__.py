"""The merge of whole files: their objects are matched, merged one by one, and put together.

directories     the merge of three directories: an object may move from file to file; other files are merged by lines
renames         which files are the same, whatever their names are
matching        which objects are the same on the three sides
object_merge    the merge of each object, and the results about it
merged_object   the merge of an object by its fields; and a merged object as a document, or as an element of a list
composition     the merge of three files: merged objects in their order, with the comments between them;
                or the file as git merges its lines, if that is right
line_judge      whether it is right
"""
