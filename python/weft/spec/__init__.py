"""What a study is: routings, hardware, traffic or programs, and the keys of the file that says so.

It stands below the results, which keep it, and below the study, which carries it out.
"""
