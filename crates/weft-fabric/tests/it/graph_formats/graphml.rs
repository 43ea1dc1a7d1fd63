//! GraphML as networkx and other programs write it.

use super::{error, error_after, found, links, notes};
use weft_fabric::SwitchId;
use weft_fabric::formats::{FormatName, WriteError, write};
use weft_fabric::{FabricBuilder, Host, PortNumber, Switch};
use weft_testing::table;

/// In the style of networkx: keys by number, the last declared first.
const TWO: &str = r#"<?xml version='1.0' encoding='utf-8'?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">
  <key id="d5" for="edge" attr.name="to_port" attr.type="long" />
  <key id="d4" for="edge" attr.name="to" attr.type="string" />
  <key id="d3" for="edge" attr.name="from_port" attr.type="long" />
  <key id="d2" for="edge" attr.name="from" attr.type="string" />
  <key id="d1" for="node" attr.name="ports" attr.type="long" />
  <key id="d0" for="node" attr.name="kind" attr.type="string" />
  <graph edgedefault="undirected">
    <node id="sw0">
      <data key="d0">switch</data>
      <data key="d1">8</data>
    </node>
    <node id="host &lt;0&gt;">
      <data key="d0">host</data>
    </node>
    <edge source="sw0" target="host &lt;0&gt;" id="0">
      <data key="d2">host &lt;0&gt;</data>
      <data key="d3">1</data>
      <data key="d4">sw0</data>
      <data key="d5">7</data>
    </edge>
  </graph>
</graphml>
"#;

#[test]
fn a_graph_of_networkx_is_read() {
    let found = found(TWO);
    assert_eq!(found.format, FormatName::GraphMl);
    assert_eq!(notes(&found), []);
    assert_eq!(found.fabric.name(), "file");
    assert_eq!(links(&found.fabric), ["host <0>[1] → sw0[7]"]);
    assert_eq!(found.fabric.switch(SwitchId::new(0)).port_count, 8);
}

#[test]
fn a_graph_of_other_programs_is_read() {
    // No namespace, defaults, data with parts of its own, keys without a name.
    let text = "<graphml>
  <key id='k' for='node' attr.name='kind'><default>switch</default></key>
  <key id='drawing' for='node'/>
  <key id='w' for='all' attr.name='weight'/>
  <graph id='G'>
    <desc>drawn by hand</desc>
    <node id='a'><data key='drawing'><Shape><Label>A</Label></Shape></data></node>
    <node id='b'><data key='k'>host</data></node>
    <edge source='a' target='b' directed='false'><data key='w'>1.0</data></edge>
  </graph>
</graphml>";
    let found = found(text);
    assert_eq!(links(&found.fabric), ["a[1] → b[1]"]);
    assert_eq!(
        notes(&found),
        [
            (Some(7), "“drawing” of 1 switch"),
            (Some(9), "“weight” of 1 edge")
        ]
    );
}

/// A switch and a host of these names.
fn named(fabric: &str, switch: &str, host: &str) -> weft_fabric::Fabric {
    let mut builder = FabricBuilder::new(fabric);
    let switch = builder.add_switch(Switch::new(switch, 1)).unwrap();
    let host = builder.add_host(Host::new(host)).unwrap();
    builder
        .attach_host(host, switch, PortNumber::new(1))
        .unwrap();
    builder.build().unwrap()
}

#[test]
fn names_of_any_text_come_back() {
    let fabric = named("]]>&amp;", " a\tb\r\n\"c\" ", "<é>'\u{10ffff}\u{2028}");
    let text = write(&fabric, FormatName::GraphMl).unwrap();
    assert_eq!(found(&text).fabric, fabric);
    assert!(text.contains("<node id=\" a&#9;b&#13;&#10;&quot;c&quot; \">"));
}

#[test]
fn a_name_that_xml_cannot_hold_is_refused() {
    let refusal = write(&named("f", "sw\u{1b}[1m", "h"), FormatName::GraphMl).unwrap_err();
    assert!(matches!(refusal, WriteError::CannotHold { .. }));
    assert_eq!(
        refusal.to_string(),
        "GraphML cannot hold the name of a node, “sw\\u{1b}[1m”: XML has no character U+001B; name \
         it otherwise or choose another format"
    );
}

#[test]
fn every_mistake_is_named_with_its_place() {
    let cases = table(
        r#"
        undirected => directed
            file:9:3: found a directed graph, expected an undirected one, since a link carries both
            directions; convert it first (in networkx: graph.to_undirected())
        ` id="0">` => ` directed="true">`
            file:17:5: found a directed graph, expected an undirected one, since a link carries both
            directions; convert it first (in networkx: graph.to_undirected())
        <data key="d0">host => <data key="kind">host
            file:15:7: found key “kind”, expected a key that <graphml> declares by <key id=…>
        <data key="d0">host => <data>host
            file:15:7: found <data> without key, expected key="…" in it
        <data key="d5">7 => <data key="d5">9
            file:17:5: port 9 of “sw0” does not exist; it has ports 1 to 8
        <data key="d3">1 => <data key="d3">one
            file:19:7: found from_port “one”, expected a whole number from 1 to 254
        </graph> => </graf>
            file:23:3: found what is no XML, expected well-formed XML (expected </graph>, not </graf>)
        id="0"> => id=0>
            file:17:51: found what is no XML, expected well-formed XML (a value of an attribute
            without quotes)
        id="0"> => id="0" id="1">
            file:17:5: found what is no XML, expected well-formed XML (the attribute “id” twice)
        id="0"> => id="0>
            file:17:5: found what is no XML, expected well-formed XML (syntax error: attribute value not
            closed: `"` not found before end of input)
        <node id="sw0"> => <node id="s<w0">
            file:10:5: found what is no XML, expected well-formed XML (“<” in the value of an attribute)
        >switch< => >&switch;<
            file:11:22: found what is no XML, expected well-formed XML (nothing declares the entity
            “switch”)
        >switch< => >switch&#27;<
            file:11:28: found what is no XML, expected well-formed XML (XML has no character U+001B)
        <graph edge => <y:graph edge
            file:9:3: found what is no XML, expected well-formed XML (the prefix “y” is not declared)
        </graph>\n</graphml>\n => </graph>\n</graphml>\n<graph/>\n
            file:25:1: found what is no XML, expected well-formed XML (a second element outside of
            all)
        </graph>\n</graphml>\n => </graph>\n</graphml>\nfine>
            file:25:1: found what is no XML, expected well-formed XML (text outside of its element)
        </graph>\n</graphml>\n => ``
            file:22:12: found the end of the file, expected the rest of the XML; the file looks
            truncated: write or copy it again in full
        </graph> => <hyperedge/></graph>
            file:23:3: found <hyperedge>, expected edges: a link has two ends
        <data key="d1">8</data> => <port name="p"/>
            file:12:7: found <port>, expected ports as numbers, in from_port and to_port of edges
        <data key="d1">8</data> => <graph/>
            file:12:7: found a graph within a node, expected all nodes in one graph; ungroup them
        </graph> => </graph><graph/>
            file:23:11: found a second <graph>, expected one graph a file
    "#,
    );
    for [from, to, expected] in cases {
        assert_eq!(error_after(TWO, &from, &to), expected, "for {from}");
    }
    assert_eq!(
        error("<html>graphml</html>"),
        "file:1:1: found <html>, expected <graphml>"
    );
    assert_eq!(
        error("<graphml></graphml>"),
        "file:1:1: found <graphml> without <graph>, expected one graph in it"
    );
}

#[test]
fn entities_are_refused_before_they_grow() {
    let levels: Vec<String> = (1..20)
        .map(|n| format!("<!ENTITY e{n} \"{}\">", format!("&e{};", n - 1).repeat(10)))
        .collect();
    let text = format!(
        "<?xml version=\"1.0\"?>\n<!DOCTYPE graphml [<!ENTITY e0 \"ha\">{}]>\n\
         <graphml><graph><node id=\"&e19;\"/></graph></graphml>",
        levels.concat()
    );
    assert_eq!(
        error(&text),
        "file:2:1: found a document type declaration, expected none: the entities it may declare \
         are not read; delete it"
    );
}

#[test]
fn a_deeply_nested_file_is_an_error() {
    let text = format!("<graphml>{}", "<a>".repeat(200_000));
    assert!(error(&text).contains("expected the rest of the XML"));
    let closed = format!("{text}{}</graphml>", "</a>".repeat(200_000));
    assert!(error(&closed).contains("<graphml> without <graph>"));
}

#[test]
fn small_files_stay_small_in_memory_and_time() {
    // A default for each of many nodes, of many attributes that nobody knows.
    let long = "x".repeat(200_000);
    let keys: Vec<String> = (0..5_000)
        .map(|n| format!("<key id='k{n}' for='node' attr.name='a{n}'><default>y</default></key>"))
        .collect();
    let nodes: Vec<String> = (0..20_000).map(|n| format!("<node id='n{n}'/>")).collect();
    let text = format!(
        "<graphml><key id='g' for='node' attr.name='guid'><default>{long}</default></key>{}\
         <graph>{}</graph></graphml>",
        keys.concat(),
        nodes.concat()
    );
    assert!(error(&text).contains("expected a GUID such as"));
    // As many attributes as lines, each told with its line.
    let data: Vec<String> = (0..5_000)
        .map(|n| format!("\n<data key='k{n}'>1</data>"))
        .collect();
    let text = format!(
        "<graphml>{}<graph><node id='a'>{}</node></graph></graphml>",
        keys.concat(),
        data.concat()
    );
    let found = found(&text);
    assert_eq!(found.notes.len(), 2);
    assert!(
        found.notes.iter().any(|note| note
            .reason
            .contains("; 4999 more of the kind, at lines 3, 4, 5, …")),
        "{:?}",
        found.notes
    );
    // Names too long to be likened to one another.
    let text = format!(
        "<graphml><graph><node id='{long}'/><edge source='{long}y' target='{long}'/></graph></graphml>"
    );
    assert!(error(&text).ends_with("list it among the nodes"));
}
