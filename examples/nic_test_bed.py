"""Half-round-trip latency by message size on the published test bed: two switches, three hosts.

Published: the modified firmware costs 125 ns on average and at most 300 ns, a stop 1.3 us.
`weft reproduce boost --figure test-bed` sets them beside what is measured here.
"""

from weft.reproduce.test_bed import measure_test_bed


def main() -> None:
    """Print the table."""
    measured = measure_test_bed()
    print("bytes  original us  modified us  with a stop us  a packet ns  a stop ns")
    for entry in measured:
        print(
            f"{entry.size_bytes:5}  {entry.original_ns / 1000:11.2f}"
            f"  {entry.modified_ns / 1000:11.2f}  {entry.with_stop_ns / 1000:14.2f}"
            f"  {entry.packet_cost_ns:11.1f}  {entry.stop_cost_ns:9.1f}"
        )
    mean = sum(entry.packet_cost_ns for entry in measured) / len(measured)
    print(f"a normal packet costs {mean:.0f} ns more on average")


if __name__ == "__main__":
    main()
