//! What patterns and arrival processes refuse, and what they say.

use weft_fabric::generate::mesh;
use weft_fabric::{Fabric, HostId, ServiceReason};
use weft_model::workload::{ARRIVALS, Arrivals, ChosenPattern, PATTERNS, TrafficError};
use weft_testing::table;

fn hosts(count: u32) -> Fabric {
    mesh(count, 1, 1).unwrap()
}

fn laid(pattern: &str, fabric: &Fabric, file: Option<&str>) -> Result<Vec<u32>, TrafficError> {
    let chosen: ChosenPattern = pattern.parse()?;
    let destinations = chosen.destinations(fabric, file)?;
    let to = |host| {
        destinations
            .probabilities(host)
            .first()
            .map(|e| e.0.number())
    };
    Ok(fabric
        .host_ids()
        .map(|host| to(host).unwrap_or(host.number()))
        .collect())
}

fn refusal(pattern: &str, count: u32) -> String {
    laid(pattern, &hosts(count), None).unwrap_err().to_string()
}

#[test]
fn patterns_refuse_fabrics_they_are_not_defined_on() {
    for [pattern, count, expected] in table(
        r"
        bit_reversal => 50
            pattern bit_reversal is not defined on fabric “mesh-50x1”: it reverses the bits of host
            numbers, so all numbers of some bits must be hosts; found 50 hosts, expected a power of
            two
        bit_reversal => 2
            no host of fabric “mesh-2x1” sends anything under pattern bit_reversal: every host is
            mapped to itself; expected at least one that does
        transpose => 53
            pattern transpose is not defined on fabric “mesh-53x1”: it needs hosts in a matrix;
            found 53 hosts, expected 4 or more and no prime
        shift:by=10 => 5
            no host of fabric “mesh-5x1” sends anything under pattern shift: every host is mapped to
            itself; expected at least one that does
        local:radius=2 => 5
            no host of fabric “mesh-5x1” sends anything under pattern local: none has another within
            the radius; expected at least one that does
        hotspot:count=5,own_traffic=no => 5
            no host of fabric “mesh-5x1” sends anything under pattern hotspot: all hosts are
            hotspots that do not send; expected at least one that does
    ",
    ) {
        assert_eq!(refusal(&pattern, count.parse().unwrap()), expected);
    }
    for pattern in PATTERNS {
        let text = match pattern.name {
            "permutation" => "permutation:file=pairs.csv",
            "matrix" => "matrix:file=matrix.csv",
            name => name,
        };
        assert_eq!(
            refusal(text, 1),
            "traffic needs at least 2 hosts; the fabric has 1"
        );
    }
}

#[test]
fn values_out_of_range_are_refused_with_what_is_expected() {
    for [pattern, expected] in table(
        r"
        hotspot:share=101
            found “101” for parameter share of pattern hotspot, expected a number more than 0 and at
            most 100 %
        hotspot:share=0
            found “0” for parameter share of pattern hotspot, expected a number more than 0 and at
            most 100 %
        hotspot:share=nan
            found “nan” for parameter share of pattern hotspot, expected a number more than 0 and at
            most 100 %
        local:radius=0
            found “0” for parameter radius of pattern local, expected a whole number, 1 or more
        local:radius=1
            found “1” for parameter radius of pattern local, expected 2 or more, since the radius
            counts the two host links (with counted=switch_links it counts links between switches
            only)
        shift:by=0
            found “0” for parameter by of pattern shift, expected a whole number, 1 or more
        transpose:convention=matrx
            found “matrx” for parameter convention of pattern transpose, expected one of matrix,
            rhinet; did you mean “matrix”?
        hotspot:hosts=host9
            found host “host9” for pattern hotspot, expected hosts of fabric “mesh-4x1” by name, or
            by number from 0 to 3; did you mean “host0”?
        hotspot:hosts=4
            found host “4” for pattern hotspot, expected hosts of fabric “mesh-4x1” by name, or by
            number from 0 to 3
        hotspot:hosts=host1+1
            found “host1+1” for parameter hosts of pattern hotspot, expected each host once, and “1”
            is given twice
        hotspot:count=5
            found “5” for parameter count of pattern hotspot, expected at most the 4 hosts of the
            fabric
        hotspott
            found pattern “hotspott”, expected one of uniform, bit_reversal, transpose, complement,
            shift, random_permutation, permutation, matrix, hotspot, local; did you mean “hotspot”?
        hotspot:shares=5
            found parameter “shares” for pattern hotspot, expected one of share, hosts, count, seed,
            own_traffic; did you mean “share”?
        uniform:seed=1
            found parameter “seed” for pattern uniform, expected none
        hotspot:share
            found “share” in “hotspot:share”, expected name=value; write parameters as in
            hotspot:share=5,hosts=host3
        hotspot:share=5,share=6
            parameter “share” is given twice in “hotspot:share=5,share=6”; give each parameter once
        permutation
            pattern permutation needs a value for parameter file; expected the name of a file
        permutation:file=pairs.csv
            pairs.csv: the file was not read; expected its text along with the pattern
    ",
    ) {
        assert_eq!(refusal(&pattern, 4), expected);
    }
}

#[test]
fn a_permutation_is_read_from_its_file() {
    let text =
        "# a ring of three, and one that sends nothing\n\nhost0, host2\r\n2,host1\nhost1,0\n3,3";
    let read = laid("permutation:file=pairs.csv", &hosts(4), Some(text)).unwrap();
    assert_eq!(read, [2, 0, 1, 3]);
    let chosen: ChosenPattern = "permutation:file=a/pairs.csv".parse().unwrap();
    assert_eq!(chosen.file(), Some("a/pairs.csv"));
    let other: ChosenPattern = "uniform".parse().unwrap();
    assert_eq!(other.file(), None);
}

#[test]
fn a_file_that_is_no_permutation_is_refused_with_its_line() {
    for [text, expected] in table(
        r"
        host0 host1
            pairs.csv:1: found “host0 host1”, expected source,destination
        0,1\n# next\n1,hots2\n
            pairs.csv:3: found host “hots2”, expected a host of fabric “mesh-3x1” by name, or by
            number from 0 to 2; did you mean “host2”?
        0,1\n0,2
            pairs.csv:2: host “host0” sends already on line 1; expected each host as source once
        0,1\n1,0\nhost2,host1
            pairs.csv:3: host “host1” receives already on line 1; expected each host as destination
            once
        0,1\n\n
            pairs.csv:2: the file ends and 2 of 3 hosts are no source, the first is “host1”;
            expected a line for each, such as host1,host1 for one that sends nothing
        ``
            pairs.csv:1: the file ends and 3 of 3 hosts are no source, the first is “host0”;
            expected a line for each, such as host0,host0 for one that sends nothing
        0,0\n1,1\n2,2
            no host of fabric “mesh-3x1” sends anything under pattern permutation: every host is
            mapped to itself; expected at least one that does
    ",
    ) {
        let error = laid("permutation:file=pairs.csv", &hosts(3), Some(&text)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn a_matrix_is_read_from_its_file() {
    let text = "# two that send\n\nsource, destination, amount\nhost0,host1,3\n0, 2, 1e0\nhost2,0,0.5\n1,1,7\n2,1,0\n";
    let chosen: ChosenPattern = "matrix:file=m.csv".parse().unwrap();
    assert_eq!(chosen.file(), Some("m.csv"));
    let fabric = hosts(4);
    let laid = chosen.destinations(&fabric, Some(text)).unwrap();
    assert_eq!(laid.sending_hosts(), 2);
    let shares = |host: u32| {
        let found = laid.probabilities(HostId::new(host)).into_iter();
        found
            .map(|(to, share)| (to.number(), share))
            .collect::<Vec<_>>()
    };
    assert_eq!(shares(0), [(1, 0.75), (2, 0.25)]);
    assert_eq!(shares(1), []);
    assert_eq!(shares(2), [(0, 1.0)]);
    // What an exchange of ranks is told by tells what hosts send as well.
    let named = text.replace("source, destination, amount", "from, to,bytes");
    let as_lengths = chosen.destinations(&fabric, Some(&named)).unwrap();
    assert_eq!(as_lengths.sending_hosts(), 2);
    for [text, expected] in table(
        r"
        0,1
            m.csv:1: found “0,1”, expected source,destination,amount
        0,1,1\nsource,destination,amount
            m.csv:2: found host “source”, expected a host of fabric “mesh-4x1” by name, or by number
            from 0 to 3
        0,1,1\n0,2,-1
            m.csv:2: found amount “-1”, expected a number from 0 to 1e18
        0,1,1\n0,2,nan
            m.csv:2: found amount “nan”, expected a number from 0 to 1e18
        0,1,1\nhost0,host1,2
            m.csv:2: “host0” has an amount for “host1” on line 1; expected each pair once
        0,hots2,1
            m.csv:1: found host “hots2”, expected a host of fabric “mesh-4x1” by name, or by number
            from 0 to 3; did you mean “host2”?
        0,0,1\n1,2,0
            no host of fabric “mesh-4x1” sends anything under pattern matrix: no host has an amount
            for another; expected at least one that does
    ",
    ) {
        let error = chosen.destinations(&fabric, Some(&text)).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
}

#[test]
fn arrivals_are_read_and_refused_as_patterns_are() {
    assert_eq!(Arrivals::parse("poisson", 6.25), Ok(Arrivals::Poisson));
    let bursts = Arrivals::Bursts {
        mean_on_cycles: 100.0,
        mean_off_cycles: 300.0,
    };
    assert_eq!(
        Arrivals::parse("bursts:on_ns=625,off_ns=1875", 6.25),
        Ok(bursts)
    );
    for [text, expected] in table(
        r"
        poison
            found arrivals “poison”, expected one of constant, poisson, bursts; did you mean
            “poisson”?
        bursts:on_ns=0
            found “0” for parameter on_ns of arrivals bursts, expected a number more than 0 and at
            most 110000000000000 ns
        bursts:off_ns=inf
            found “inf” for parameter off_ns of arrivals bursts, expected a number more than 0 and
            at most 110000000000000 ns
    ",
    ) {
        let error = Arrivals::parse(&text, 6.25).unwrap_err();
        assert_eq!(error.to_string(), expected);
    }
    for process in ARRIVALS {
        assert!(Arrivals::parse(process.name, 6.25).is_ok());
    }
}

#[test]
fn a_file_that_names_a_service_end_is_told_why_it_is_one() {
    let reasons = [
        (
            ServiceReason::Description,
            "its description says that it is no compute end",
        ),
        (ServiceReason::Told, "it was named as one"),
    ];
    for (reason, why) in reasons {
        let fabric = hosts(3).with_service(vec![None, None, Some(reason)]);
        for named in ["host2", "2"] {
            let text = format!("host0,host1\n{named},host0\n");
            let refused = laid("permutation:file=pairs.csv", &fabric, Some(&text)).unwrap_err();
            let expected = format!(
                "pairs.csv:2: “{named}” is a service end, as {why}, and sends and receives nothing; leave it \
                 out, or make it a compute end: --compute names all that compute, and --compute '*' is \
                 everyone"
            );
            assert_eq!(refused.to_string(), expected);
        }
        let refused = laid("permutation:file=pairs.csv", &fabric, Some("host0,host3\n"));
        assert!(
            refused
                .unwrap_err()
                .to_string()
                .contains("found host “host3”, expected")
        );
        let pairs = laid(
            "permutation:file=pairs.csv",
            &fabric,
            Some("host0,host1\nhost1,host0\n"),
        );
        assert_eq!(pairs.unwrap(), [1, 0, 2]);
    }
}
