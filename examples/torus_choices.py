"""What routings, and the choice among equal paths, do on an 8x8 torus before anything is simulated.

The saturation bound is the load (payload each host offers, as a fraction of its link's rate) that
the busiest channel forbids under uniform traffic.
"""

import weft

fabric = weft.torus(8, 8, hosts_per_switch=8)
print(f"{fabric.name}: {fabric.switch_count} switches, {fabric.host_count} hosts")

for algorithm in ("updown", "ud_itb"):
    for selection in ("first", "random", "least_loaded"):
        routing = weft.route(fabric, algorithm, root=0, selection=selection, seed=1)
        figures = weft.load_figures(fabric, routing)
        print(
            f"{algorithm:7} {selection:13} "
            f"distance {figures.mean_distance_links:.4f} links, "
            f"{figures.minimal_share:.1%} minimal, "
            f"{figures.mean_in_transit_stops:.2f} stops, "
            f"bound {figures.saturation_bound:.4f}"
        )

shortest = weft.route(fabric, "minimal", seed=1)
print(weft.prove(fabric, shortest).text)
