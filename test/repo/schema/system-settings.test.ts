import { expect, test } from 'vitest'
import { aDocument, problemsOf } from '../fleets.ts'

const profile = (time: string) => problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {time: ${time}}\n`) })

test('time zone and time servers are part of a profile', () => {
  expect(profile('{zone: Europe/Berlin, ntp: {servers: [ntp.example.com, "2001:db8::1"]}}')).toEqual([])
})

test.each([
  ['{zone: Europe/Belrin}', 'such as "Europe/Berlin"\n  did you mean "Europe/Berlin"?'],
  ['{zone: "+02:00"}', 'expected a time zone of the IANA database'],
  ['{ntp: {servers: ["a b"]}}', 'expected the name or address of a time server'],
])('time %s is refused', (time, message) => {
  expect(profile(time)[0]).toContain(message)
})

test('two profiles of a pool cannot both say who keeps the time', () => {
  const found = problemsOf({
    'a.yaml': aDocument('HostProfile', 'a', 'spec: {time: {ntp: {servers: [a]}}}\n'),
    'b.yaml': aDocument('HostProfile', 'b', 'spec: {time: {ntp: {servers: [b]}}}\n'),
    'p.yaml': aDocument('NodePool', 'p', 'spec: {nodeSelector: {matchLabels: {a: b}}, hostProfiles: [a, b]}\n'),
  })
  expect(found[0]).toContain('profiles "a" and "b" both claim time.ntp')
})

const argumentsOf = (list: string) =>
  problemsOf({ 'h.yaml': aDocument('HostProfile', 'h', `spec: {kernelArguments: ${list}}\n`) })

test('kernel arguments are part of a profile', () => {
  expect(argumentsOf('[transparent_hugepage=never, "hugepages=16", console=ttyS0,115200n8]')).toEqual([])
})

test.each([
  ['["a b"]', 'expected one argument'],
  ['["$(x)"]', 'expected one argument'],
  ['[init=/bin/sh]', 'could not be repaired by its agent'],
  ['[root=/dev/sdb1]', 'could not be repaired by its agent'],
  ['[single]', 'could not be repaired by its agent'],
  ['[systemd.unit=rescue.target]', 'could not be repaired by its agent'],
  ['[mem=64M]', 'could not be repaired by its agent'],
])('kernel arguments %s are refused', (list, message) => {
  expect(argumentsOf(list)[0]).toContain(message)
})
