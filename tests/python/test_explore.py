"""The page's server, what it draws and what it refuses, and the page in a file."""

from __future__ import annotations

import base64
import contextlib
import gzip
import hashlib
import http.client
import json
import re
import signal
import socket
import threading
from typing import TYPE_CHECKING

import numpy as np
import pytest
from command import done, refused, weft_process
from page_core import PageCore

import weft
from weft import _core
from weft.errors import InputError
from weft.explore import Explorer, ExploreServer, scene, write_page
from weft.explore import file as page_file

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

QUESTION = b'{"question": "routing", "state": {"routing": "updown"}}'
JSON = {"Content-Type": "application/json"}
HOSTILE = '</script><img src=x onerror="alert(1)">'


@contextlib.contextmanager
def served(fabric: weft.Fabric) -> Iterator[ExploreServer]:
    """Serve a fabric for a while."""
    with ExploreServer(fabric) as server:
        thread = threading.Thread(target=server.serve)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()


@pytest.fixture(scope="module")
def server() -> Iterator[ExploreServer]:
    with served(weft.torus(4, 4)) as running:
        yield running


def asked(
    server: ExploreServer,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, dict[str, str], bytes]:
    """Send a request to a path behind the token, or to any that begins with a slash."""
    token = server.address.rsplit("/", 2)[1]
    connection = http.client.HTTPConnection("127.0.0.1", server.port, timeout=30)
    target = path if path.startswith("/") else f"/{token}/{path}"
    connection.putrequest(method, target, skip_host="Host" in (headers or {}))
    for name, value in (headers or {}).items():
        connection.putheader(name, value)
    if body is not None and "Content-Length" not in (headers or {}):
        connection.putheader("Content-Length", str(len(body)))
    connection.endheaders(body)
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, dict(answer.headers), content


def told(content: bytes) -> str:
    """Return why a request was refused."""
    answer = json.loads(content)
    assert answer.keys() == {"error"}
    return str(answer["error"]["what"])


def test_a_question_is_answered_as_by_the_library(server: ExploreServer) -> None:
    status, headers, content = asked(server, "POST", "ask", QUESTION, JSON)
    assert (status, headers["Content-Type"]) == (200, "application/json")
    assert content.decode() == Explorer(weft.torus(4, 4)).ask(QUESTION.decode())


@pytest.mark.parametrize("part", ["", "page.js", "page.css", "scene.json"])
def test_parts_of_the_page_are_given_out_under_a_strict_policy(
    server: ExploreServer, part: str
) -> None:
    status, headers, content = asked(server, "GET", part)
    assert status == 200
    assert content
    policy = headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Cache-Control"] == "no-store"
    assert headers["Referrer-Policy"] == "no-referrer"


def test_what_stands_in_the_address_behind_the_path_is_the_page_s_own(
    server: ExploreServer,
) -> None:
    assert asked(server, "GET", "?routing=updown")[0] == 200


def test_other_tokens_and_paths_lead_nowhere(server: ExploreServer) -> None:
    token = server.address.rsplit("/", 2)[1]
    assert len(token) >= 32
    paths = [
        "/",
        "//",
        "/scene.json",
        f"/{token}",
        f"/{token[:-1]}/",
        f"/{token}x/",
        f"/{token.swapcase()}/",
        f"/{'ä' * 32}/".encode().decode("latin-1"),
        f"/{token}/server.py",
        f"/{token}/../server.py",
        f"/{token}/../../../../etc/passwd",
        f"/{token}/%2e%2e/server.py",
        f"/{token}/./page.js",
        f"/{token}//page.js",
        f"/{token}/page.js/",
        f"/{token}/page.js%00",
        f"/{token}/ask",
        f"http://127.0.0.1:{server.port}/{token}/",
    ]
    for path in paths[:7] + paths[8:]:
        if not path.startswith("/"):
            continue
        status, _, content = asked(server, "GET", path)
        # `//` is one slash more than any address has.
        assert status == 404, path
        assert told(content) == "found no such address, expected the one that was printed"
    assert asked(server, "POST", f"/{token[:-1]}/ask", QUESTION, JSON)[0] == 404
    assert asked(server, "POST", "page.js", QUESTION, JSON)[0] == 404


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", "[::1]:{port}"]
)
def test_requests_to_another_host_are_refused(server: ExploreServer, host: str) -> None:
    headers = {"Host": host.format(port=server.port)}
    for method, path, body in [("GET", "", None), ("POST", "ask", QUESTION)]:
        status, _, content = asked(server, method, path, body, {**JSON, **headers})
        assert status == 421
        assert told(content).startswith("found another host in the request")


def test_localhost_is_the_same_machine(server: ExploreServer) -> None:
    assert asked(server, "GET", "", None, {"Host": f"localhost:{server.port}"})[0] == 200


def test_questions_of_other_pages_are_refused(server: ExploreServer) -> None:
    for origin in ("https://evil.example", "null", f"https://127.0.0.1:{server.port}"):
        status, _, content = asked(server, "POST", "ask", QUESTION, {**JSON, "Origin": origin})
        assert status == 403, origin
        assert "by another page" in told(content)
    own = {**JSON, "Origin": f"http://127.0.0.1:{server.port}"}
    assert asked(server, "POST", "ask", QUESTION, own)[0] == 200
    # What a form of another page can send without asking first.
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        status, _, content = asked(server, "POST", "ask", QUESTION, {"Content-Type": kind})
        assert status == 415
        assert told(content) == f"found content of type {kind}, expected application/json"


def test_questions_without_measure_are_refused(server: ExploreServer) -> None:
    for length in (str((1 << 20) + 1), "9" * 5000):
        status, headers, content = asked(
            server, "POST", "ask", b"", {**JSON, "Content-Length": length}
        )
        assert status == 413
        assert "expected 1048576 at most" in told(content)
        assert headers["Connection"] == "close"
    for length in ("-1", "1e3", "", "٣", "0x10"):
        encoded = {"Content-Length": length.encode().decode("latin-1")}
        assert asked(server, "POST", "ask", b"", {**JSON, **encoded})[0] == 411, length
    assert asked(server, "POST", "ask", None, JSON)[0] == 411


def test_questions_that_are_none_have_one_clear_answer(server: ExploreServer) -> None:
    assert told(asked(server, "POST", "ask", b"{", JSON)[2]).startswith("found no JSON")
    assert told(asked(server, "POST", "ask", b"\xff", JSON)[2]).startswith("found a question that")
    deep = b"[" * (1 << 19)
    assert "recursion limit" in told(asked(server, "POST", "ask", deep, JSON)[2])
    odd = b'{"question": "cable", "cable": 99, "state": {"routing": "updown"}}'
    assert told(asked(server, "POST", "ask", odd, JSON)[2]) == (
        "cable: found 99, expected the number of a cable, 0 to 31"
    )


def test_other_methods_are_refused_in_the_same_form(server: ExploreServer) -> None:
    for method in ("PUT", "DELETE", "OPTIONS", "TRACE", "CONNECT"):
        status, headers, content = asked(server, method, "")
        assert status == 501, method
        assert told(content)
        assert headers["Server"] == "weft"
        assert "Access-Control-Allow-Origin" not in headers


def test_what_is_no_request_ends_the_connection_alone(server: ExploreServer) -> None:
    for raw in (b"\x16\x03\x01\x02\x00\r\n\r\n", b"GET\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b""):
        with socket.create_connection(("127.0.0.1", server.port), timeout=30) as connection:
            connection.sendall(raw)
            connection.shutdown(socket.SHUT_WR)
            answer = b"".join(iter(lambda: connection.recv(4096), b""))
            assert b"Traceback" not in answer
    assert asked(server, "GET", "")[0] == 200


def test_the_server_listens_on_this_machine_alone(server: ExploreServer) -> None:
    assert server._server.server_address[0] == "127.0.0.1"
    assert server.address.startswith(f"http://127.0.0.1:{server.port}/")


def test_two_servers_have_two_tokens() -> None:
    fabric = weft.torus(3, 3)
    with ExploreServer(fabric) as one, ExploreServer(fabric) as other:
        assert one.address.rsplit("/", 2)[1] != other.address.rsplit("/", 2)[1]


def test_a_bug_of_the_core_is_told_without_a_traceback(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    class Broken:
        def ask(self, question: str) -> str:
            raise RuntimeError("index out of bounds")

    with served(weft.torus(3, 3)) as running:
        monkeypatch.setattr(running._server, "explorer", Broken())
        status, _, content = asked(running, "POST", "ask", QUESTION, JSON)
    assert status == 500
    assert told(content) == "index out of bounds; this is a bug in Weft"
    assert "Traceback" not in capfd.readouterr().err


def test_a_scene_has_columns_as_long_as_the_fabric() -> None:
    fabric = weft.torus(4, 4, hosts_per_switch=2)
    drawn = scene(fabric, ["updown:root=3"])
    assert (drawn["format"], drawn["version"], drawn["kind"]) == ("weft-scene", 1, "grid")
    assert {len(column) for column in drawn["switches"].values()} == {16}
    assert {len(column) for column in drawn["hosts"].values()} == {32}
    assert {len(column) for column in drawn["cables"].values()} == {32}
    assert drawn["switches"]["hosts"] == [2] * 16
    assert drawn["routings"][0] == {"name": "updown:root=3", "words": "up*/down* (root=3)"}
    assert json.loads(json.dumps(drawn, allow_nan=False)) == drawn
    # A cable of the scene is the cable of the answers.
    ends = fabric.links()[np.flatnonzero(fabric.is_switch_channel[::2])]
    assert [drawn["cables"]["a"], drawn["cables"]["b"]] == [
        ends[:, 0].tolist(),
        ends[:, 2].tolist(),
    ]
    state = {"routing": "updown"}
    question = {"question": "pair", "source": 0, "destination": 2, "state": state}
    answer = json.loads(Explorer(fabric).ask(json.dumps(question)))
    hop = answer["there"]["hops"][0]
    side = "a" if hop["forward"] else "b"
    assert drawn["cables"][side][hop["cable"]] == hop["switch"]
    assert drawn["cables"][f"port_{side}"][hop["cable"]] == hop["port"]


def test_a_scene_shows_chassis_and_levels() -> None:
    fabric = weft.read_fabric(weft_example("cluster.ibnetdiscover")).fabric
    drawn = scene(fabric)
    assert drawn["kind"] == "levels"
    assert set(drawn["switches"]["level"]) >= {0, 1}
    assert all(one["x"] >= 0 for one in drawn["chassis"])


def weft_example(name: str) -> Path:
    from pathlib import Path

    return Path(__file__).resolve().parents[2] / "examples" / name


def test_a_page_in_a_file_holds_all_it_needs(tmp_path: Path) -> None:
    fabric = weft.torus(4, 4)
    size = write_page(fabric, tmp_path / "page.html", ["updown:root=3"])
    text = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert size == len(text.encode()) <= page_file.MOST_BYTES
    held = dict(re.findall(r'<script type="text/plain" id="(weft-\w+)">([\w+/=]*)</script>', text))
    content = {name: gzip.decompress(base64.b64decode(packed)) for name, packed in held.items()}
    parts = ("core", "fabric", "patterns", "routes", "scene")
    assert content.keys() == {f"weft-{part}" for part in parts}
    assert content["weft-routes"] == b"[]"
    assert content["weft-core"].startswith(b"\0asm")
    assert content["weft-fabric"].decode() == _core.fabric_text(fabric, "json")
    assert json.loads(content["weft-scene"]) == scene(fabric, ["updown:root=3"])
    # Nothing is fetched, and what runs is what the policy names.
    markup = re.sub(r"(<script[^>]*>).*?</script>", r"\1", text, flags=re.DOTALL)
    assert re.findall(r'(?:src|href)="(?!data:)', markup) == []
    found = re.search(r'http-equiv="Content-Security-Policy" content="([^"]*)"', text)
    assert found is not None
    assert "default-src 'none'" in found[1]
    for tag, opening in (("script", 'script type="module"'), ("style", "style")):
        inline = re.findall(rf"<{opening}>(.*?)</{tag}>", text, re.DOTALL)
        assert len(inline) == 1
        digest = base64.b64encode(hashlib.sha256(inline[0].encode()).digest()).decode()
        assert f"{tag}-src 'sha256-{digest}'" in found[1]
    write_page(fabric, tmp_path / "again.html", ["updown:root=3"])
    assert (tmp_path / "again.html").read_text(encoding="utf-8") == text


def test_routes_that_are_given_are_asked_for_by_their_label(tmp_path: Path) -> None:
    fabric = weft.torus(4, 4)
    weft.write_fabric(fabric, tmp_path / "t.json")
    made = weft.route(fabric, "best:lanes=2")
    weft.write_routes(made, tmp_path / "today.json")
    given = weft.read_routes(fabric, tmp_path / "today.json").routing
    question = {"question": "routing", "state": {"routing": given.label, "failed_cables": [5]}}
    answer = json.loads(Explorer(fabric, [given]).ask(json.dumps(question)))
    assert answer["verdict"]["free"] is True
    assert scene(fabric, [given])["routings"][0]["name"] == given.label
    # The same in a page.
    page, path = tmp_path / "page.html", tmp_path / "today.json"
    done("explore", tmp_path / "t.json", "--routing", path, "-o", page)
    held = re.search(r'id="weft-routes">([^<]*)<', page.read_text(encoding="utf-8"))
    assert held is not None
    [[name, text]] = json.loads(gzip.decompress(base64.b64decode(held[1])))
    assert name == str(path)
    core = PageCore()
    assert core.open(_core.fabric_text(fabric, "json").encode()) is None
    assert core.add(name, text) is None
    question["state"] = {"routing": name, "failed_cables": [5]}
    assert json.loads(core.ask(json.dumps(question))) == answer
    told_wrong = core.add("damaged", "{")
    assert told_wrong is not None
    assert "error" in json.loads(told_wrong)


def test_names_of_hostile_fabrics_are_data(tmp_path: Path) -> None:
    text = _core.fabric_text(weft.torus(3, 3), "json")
    text = text.replace('"host0"', json.dumps(HOSTILE))
    (tmp_path / "hostile.json").write_text(text)
    fabric = weft.read_fabric(tmp_path / "hostile.json").fabric
    assert HOSTILE in fabric.host_names
    write_page(fabric, tmp_path / "page.html")
    assert "alert(1)" not in (tmp_path / "page.html").read_text(encoding="utf-8")
    with served(fabric) as running:
        _, headers, content = asked(running, "GET", "scene.json")
        assert headers["Content-Type"] == "application/json"
        assert json.loads(content)["hosts"]["name"][0] == HOSTILE
        assert b"alert(1)" not in asked(running, "GET", "")[2]


def test_a_page_too_large_for_a_file_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_file, "MOST_BYTES", 1_000)
    with pytest.raises(InputError, match=r"the page of torus-4x4 has .* MB, expected 0 MB at most"):
        write_page(weft.torus(4, 4), tmp_path / "page.html")
    assert not (tmp_path / "page.html").exists()


def test_the_command_writes_a_page(tmp_path: Path) -> None:
    weft.write_fabric(weft.torus(4, 4), tmp_path / "t.json")
    page = tmp_path / "page.html"
    document = done("explore", tmp_path / "t.json", "-o", page, "--json").document
    assert document["page"] == str(page)
    assert document["bytes"] == page.stat().st_size
    assert document["address"] is None
    assert done("explore", tmp_path / "t.json", "-o", page).stdout.startswith(f"written {page} (")


def test_the_command_refuses_before_it_serves(tmp_path: Path) -> None:
    weft.write_fabric(weft.torus(4, 4), tmp_path / "t.json")
    fabric = tmp_path / "t.json"
    refused("found routing “updwon”", "explore", fabric, "--routing", "updwon")
    refused("65536", "explore", fabric, "--port", "65536")
    refused("--port says nothing", "explore", fabric, "-o", tmp_path / "p.html", "--port", "8000")
    refused("no such file", "explore", tmp_path / "none.json")


def test_the_command_serves_until_ctrl_c(tmp_path: Path) -> None:
    weft.write_fabric(weft.torus(4, 4), tmp_path / "t.json")
    before = sorted(tmp_path.iterdir())
    process = weft_process("explore", "t.json", folder=tmp_path)
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    found = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]{32})/", address)
    assert found is not None, address
    connection = http.client.HTTPConnection("127.0.0.1", int(found[1]), timeout=30)
    connection.request("POST", f"/{found[2]}/ask", QUESTION, JSON)
    assert json.loads(connection.getresponse().read())["verdict"]["free"] is True
    connection.close()
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (0, "")
    assert stderr.endswith("ended\n")
    assert sorted(tmp_path.iterdir()) == before


def test_a_port_that_is_taken_is_said_to_be(tmp_path: Path) -> None:
    weft.write_fabric(weft.torus(4, 4), tmp_path / "t.json")
    with ExploreServer(weft.torus(3, 3)) as running:
        process = weft_process("explore", "t.json", "--port", str(running.port), folder=tmp_path)
        _, stderr = process.communicate(timeout=60)
    assert process.returncode == 3, stderr
    assert "Traceback" not in stderr
