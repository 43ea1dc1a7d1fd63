#!/usr/bin/env bash
# Installs the Debian packages that the system tests drive. Fails when it cannot: a system test is
# never skipped. Packages already there are left as they are, so that a prepared machine needs
# neither a network nor permissions.
set -euo pipefail

# One line per program the tests start: its name, then the package it comes from.
needed=(
    "chromium chromium"                  # opens the report
    "ibsim ibsim-utils"                  # simulates the cluster of the examples
    "ibnetdiscover infiniband-diags"     # discovers it
    "opensm opensm"                      # routes the simulated cluster by our tables
    "ibdmchk ibutils"                    # judges exported tables
    "cc gcc"                             # builds the plugin for OpenSM
    "node nodejs"                        # builds the page of weft explore and tests its parts
    "npm npm"                            # brings what it is built of
    "mandoc mandoc"                      # reads pages of the manual
    "dot graphviz"                       # draws a fabric
    "slurmctld slurmctld"                # reads a topology.conf
    "slurmd slurmd"                      # runs a job array
    "munged munge"                       # vouches for who submits it
    "scontrol slurm-client"              # says what it read
)
# What comes without a program. The browser takes any font; without one it draws no letters. The
# library lets ibnetdiscover talk to ibsim. The plugin is built with the headers, and libc's.
others=(fonts-dejavu-core libumad2sim0 libopensm-dev libibumad-dev libc6-dev)

# Some programs lie where not every user's PATH leads.
PATH+=:/usr/sbin

packages=()
for entry in "${needed[@]}"; do
    read -r program package <<<"$entry"
    command -v "$program" >/dev/null || packages+=("$package")
done
for package in "${others[@]}"; do
    dpkg-query --show --showformat='${db:Status-Status}' "$package" 2>/dev/null |
        grep --quiet --line-regexp installed || packages+=("$package")
done

if ((${#packages[@]})); then
    command -v apt-get >/dev/null || {
        echo "error: found no apt-get to install: ${packages[*]}; expected Debian, or the programs" \
            "installed beforehand" >&2
        exit 3
    }
    as_root=()
    ((EUID == 0)) || as_root=(sudo --non-interactive)
    export DEBIAN_FRONTEND=noninteractive
    # Another package manager at work is waited for.
    options=(-o DPkg::Lock::Timeout=300 --quiet --assume-yes)
    "${as_root[@]}" apt-get update "${options[@]}"
    "${as_root[@]}" apt-get install "${options[@]}" --no-install-recommends "${packages[@]}"
fi

for entry in "${needed[@]}"; do
    read -r program package <<<"$entry"
    command -v "$program" >/dev/null || {
        echo "error: package $package is installed but gave no program $program" >&2
        exit 3
    }
done
echo "system packages are there"
