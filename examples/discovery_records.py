"""Nodes of a made-up cluster, their cables, and the records that ibnetdiscover prints of them."""

from __future__ import annotations

from dataclasses import dataclass, field

VENDOR = 0x2C9


@dataclass
class Node:
    """A switch or a channel adapter, and what its ports are wired to."""

    name: str
    guid: int
    local_id: int
    device: int
    is_switch: bool
    port_count: int
    system: int
    """GUID of what it is a part of, often its own."""
    wires: dict[int, tuple[Node, int]] = field(default_factory=dict)
    rates: dict[int, str] = field(default_factory=dict)
    """Per wired port: width and speed in InfiniBand's words."""

    @property
    def identifier(self) -> str:
        """The node's name in the file format."""
        return f"{'S' if self.is_switch else 'H'}-{self.guid:016x}"


def wire(one: tuple[Node, int], other: tuple[Node, int], rate: str) -> None:
    """Put a cable between two ports."""
    for (node, port), end in ((one, other), (other, one)):
        node.wires[port] = end
        node.rates[port] = rate


def records(nodes: list[Node]) -> str:
    """Return the nodes in the format that ibnetdiscover writes, without its head."""
    lines: list[str] = []
    for node in nodes:
        guid_key = "switchguid" if node.is_switch else "caguid"
        own_port = f"({node.guid:x})" if node.is_switch else ""
        lines += [
            "",
            f"vendid={VENDOR:#x}",
            f"devid={node.device:#x}",
            f"sysimgguid={node.system:#x}",
            f"{guid_key}={node.guid:#x}{own_port}",
        ]
        if node.is_switch:
            lines.append(
                f'Switch\t{node.port_count} "{node.identifier}"\t\t'
                f'# "{node.name}" enhanced port 0 lid {node.local_id} lmc 0'
            )
        else:
            lines.append(f'Ca\t{node.port_count} "{node.identifier}"\t\t# "{node.name}"')
        for port, (peer, peer_port) in sorted(node.wires.items()):
            to = f'"{peer.identifier}"[{peer_port}]'
            far = f'"{peer.name}" lid {peer.local_id} {node.rates[port]}'
            if node.is_switch:
                port_guid = "" if peer.is_switch else f"({peer.guid + peer_port:x}) "
                lines.append(f"[{port}]\t{to}{port_guid}\t\t# {far}")
            else:
                own = f"[{port}]({node.guid + port:x})"
                lines.append(f"{own} \t{to}\t\t# lid {node.local_id} lmc 0 {far}")
    return "\n".join(lines) + "\n"
