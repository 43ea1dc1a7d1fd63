"""Compare all routings on a small irregular network: what `weft compare` does, in ten lines.

Paste it into a notebook; the last line of each paragraph is worth looking at there. Results and
report land in the folder in which the script is run.
"""

import weft

fabric = weft.irregular(8, seed=1)
results = weft.compare(fabric, results="compare/results.sqlite")

for row in results.ranking():
    throughput = row.throughput_bytes_per_ns_per_switch
    carried = f"{throughput:.4f} bytes/ns/switch" if throughput else row.note.split(":")[0]
    print(f"{row.label:15} {row.state:10} {carried}")

print(results.recommendation())
report = weft.write_report(results, "compare/report.html")
