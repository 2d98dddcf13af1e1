#!/bin/sh
# Makes the files beside it again, with a real sops (3.13.3) and a real age-keygen (1.1.1) in PATH. The keys protect nothing.
set -eu
cd "$(dirname "$0")"
rm -f ./*.enc ./*.key
for name in first second; do age-keygen -o "$name.key" 2>/dev/null; done
recipient() { age-keygen -y "$1.key"; }
both="$(recipient first),$(recipient second)"
export SOPS_AGE_KEY_FILE="$PWD/first.key"
plain="$(mktemp -d)"
trap 'rm -r "$plain"' EXIT

cat > "$plain/values.yaml" <<'YAML'
# a comment at the top
db:
    password: tr0ub4dor-and-3 # beside a value
    port: 5432
    exact: 9007199254740993
    ratio: 0.0000001
    big: 1.5e+30
    "on": true
    "off": false
    none: null
    empty: ""
    since: 2026-11-22T06:00:00Z
    looks_encrypted: "ENC[no]"
    text: |
        first line
        second line
    unicode: "grün 🌱 \"quoted\"\ttab"
ports:
    "443": https
    "80": http
    b: after
    "9": discard
hosts:
    # a comment in a list
    - one
    - 2
    # another
    - name: three
    - []
    - {}
plain_unencrypted:
    exact: 9007199254740993
    ratio: 0.0000001
    small: -2.5e-10
    big: 1.5e+30
    "off": false
    none: null
    since: 2026-11-22T06:00:00Z
    text: |
        first line
        second line
    "10": b
    "2": a
YAML
printf '{"db": {"password": "tr0ub4dor-and-3", "port": 5432, "ratio": 1e-7, "10": "b", "2": "a"}, "plain_unencrypted": [1, 2.5, 1e-7, 12345678901234567000, 1e21, true, null, {"10": 1, "2": 2}]}' > "$plain/values.json"
printf '\000\377\r\n\tENC[x]\n' > "$plain/whole"
printf 'PASSWORD=tr0ub4dor-and-3\n' > "$plain/values.env"
printf '[db]\npassword = tr0ub4dor-and-3\n' > "$plain/values.ini"
printf 'a: 1\n---\nb: 2\n' > "$plain/two.yaml"
printf 'tls.crt: a certificate\nsites:\n    example.com:\n        tls.key: a key\n' > "$plain/dotted.yaml"

sops encrypt --age "$both" "$plain/values.yaml" > values.yaml.enc
sops encrypt --age "$both" "$plain/values.json" > values.json.enc
sops encrypt --age "$both" --encrypted-regex '^(password|text)$' "$plain/values.yaml" > partial.yaml.enc
sops encrypt --age "$both" --input-type binary "$plain/whole" > whole.enc
sops encrypt --age "$both" "$plain/values.env" > env.enc
sops encrypt --age "$both" "$plain/values.ini" > ini.enc
sops encrypt --age "$both" "$plain/two.yaml" > two.yaml.enc
sops encrypt --age "$both" "$plain/dotted.yaml" > dotted.yaml.enc
printf 'creation_rules: [{mac_only_encrypted: true, age: "%s"}]\n' "$both" > "$plain/config"
sops --config "$plain/config" encrypt "$plain/values.yaml" > mac-only.yaml.enc
cp values.yaml.enc "$plain/rotated.yaml"
sops rotate --in-place --rm-age "$(recipient second)" "$plain/rotated.yaml"
cp "$plain/rotated.yaml" rotated.yaml.enc
cp values.yaml.enc "$plain/edited.yaml"
sops set "$plain/edited.yaml" '["db"]["password"]' '"correct-horse"'
cp "$plain/edited.yaml" edited.yaml.enc
