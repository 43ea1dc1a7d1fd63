"""A routing of one's own: takes the links of one breadth-first tree alone.

Named by `own_tree.toml` beside it. Whoever runs such a file, a study or a script, knows the
algorithm by its name from then on.
"""

from collections.abc import Callable, Mapping

import weft


def tree_paths(fabric: weft.Fabric, values: Mapping[str, str]) -> Callable[[int, int], list[str]]:
    """Return the function that says which way packets go from one switch to another."""
    names, root = fabric.switch_names, values["root"]
    if root not in names:
        message = f"root: there is no switch {root}; expected a name such as {names[0]}"
        raise weft.RoutingError(message)
    neighbours: list[list[int]] = [[] for _ in names]
    for a, _, b, _ in fabric.links().tolist():
        if max(a, b) < len(names):
            neighbours[a].append(b)
            neighbours[b].append(a)
    above: dict[int, int | None] = {names.index(root): None}
    for switch in (reached := list(above)):
        for other in neighbours[switch]:
            if other not in above:
                above[other] = switch
                reached.append(other)

    def to_root(switch: int | None) -> list[int]:
        return [] if switch is None else [switch, *to_root(above[switch])]

    def path(source: int, destination: int) -> list[str]:
        up, down = to_root(source), to_root(destination)
        # The last switch that both have in common is the root; they turn at the first.
        while len(up) > 1 and len(down) > 1 and up[-2] == down[-2]:
            up.pop()
            down.pop()
        return [names[switch] for switch in up[1:] + down[-2::-1]]

    return path


weft.add_algorithm(
    weft.OwnAlgorithm(
        weft.Algorithm(
            name="spanning_tree",
            title="spanning tree",
            summary="Takes the links of one breadth-first tree alone.",
            guarantees="Deadlock-free on every fabric: a tree has no cycle.",
            refuses=[],
            source="for this example",
            parameters=[weft.Parameter("root", "name of a switch", "sw0", "Root of the tree.")],
        ),
        tree_paths,
    )
)
