import { expect, test } from 'vitest'
import { poolFingerprint } from '../../src/render/pool-fingerprint.ts'
import { aFleet, type Documents, WORKERS } from './fleets.ts'

const SHA = 'a'.repeat(64)
const base = {
  'NodePool workers': `${WORKERS}\nkubelet: {version: "1.36.3", release: r, flagSets: [all], config: [base]}\nhostProfiles: [motd]`,
  'FlagSet all': 'flags: {v: 2}',
  'KubeletConfig base': 'config: {maxPods: 110}',
  'KubeletRelease r': `binary: {url: "https://x/{{version}}", sha256: {"1.36.3": {amd64: ${SHA}}}}`,
  'HostProfile motd': 'files: [{path: /etc/motd, from: motd}]',
}
const fingerprint = (documents: Documents, motd = 'hello') => poolFingerprint(aFleet(documents, { motd }), 'workers')

test.each<[string, Documents]>([
  ['a flag', { 'FlagSet all': 'flags: {v: 3}' }],
  ['a templated flag', { 'FlagSet all': 'flags: {v: 2, node-ip: "{{ node.internalIP }}"}' }],
  ['a field', { 'KubeletConfig base': 'config: {maxPods: 111}' }],
  ['the selector', { 'NodePool workers': base['NodePool workers'].replace('role: worker', 'role: other') }],
  ['the trial', { 'NodePool workers': `${base['NodePool workers']}\nrollout: {trial: 1s}` }],
  ['a checksum', { 'KubeletRelease r': base['KubeletRelease r'].replace(SHA, 'b'.repeat(64)) }],
  ['an override by name', { 'NodeOverride one': 'node: n1\nflags: {v: 9}' }],
  ['an override that may be for its nodes', { 'NodeOverride ssd': 'nodeSelector: {matchLabels: {disk: ssd}}\nflags: {v: 9}' }],
])('the fingerprint of a pool changes with %s', (_, changed) => {
  expect(fingerprint({ ...base, ...changed })).not.toBe(fingerprint(base))
})

test('the fingerprint of a pool changes when maps of overrides are merged from now on, and not without such overrides', () => {
  const merged = { 'Fleet fleet': 'mapFlags: Merge' }
  const withOverride = { ...base, 'NodeOverride one': 'node: n1\nflags: {node-labels: {a: b}}' }
  expect(fingerprint({ ...withOverride, ...merged })).not.toBe(fingerprint(withOverride))
  expect(fingerprint({ ...base, ...merged })).toBe(fingerprint(base))
})

test('the fingerprint of a pool changes with the content of a file', () => {
  expect(fingerprint(base, 'other')).not.toBe(fingerprint(base))
})

test.each<[string, Documents]>([
  [
    'the policy of the rollout',
    { 'NodePool workers': `${base['NodePool workers']}\nrollout: {maxUnavailable: 3, waves: [{name: a, nodes: 1}]}` },
  ],
  ['a pool that is none of its business', { 'NodePool other': 'nodeSelector: {matchLabels: {role: other}}' }],
  ['an override for nodes of other pools', { 'NodeOverride far': 'nodeSelector: {matchLabels: {role: other}}\nflags: {v: 9}' }],
  [
    'an override whose expressions exclude its nodes',
    { 'NodeOverride far': 'nodeSelector: {matchExpressions: [{key: role, operator: NotIn, values: [worker]}]}\nflags: {v: 9}' },
  ],
  ['a FlagSet that it does not use', { 'FlagSet more': 'flags: {v: 7}' }],
  [
    'a release of another version',
    { 'KubeletRelease r': base['KubeletRelease r'].replace('sha256: {', `sha256: {"1.35.4": {amd64: ${SHA}}, `) },
  ],
])('the fingerprint of a pool stays with %s', (_, changed) => {
  expect(fingerprint({ ...base, ...changed })).toBe(fingerprint(base))
})

test('the fingerprint of a pool that is not there is an error', () => {
  expect(() => poolFingerprint(aFleet({}), 'workers')).toThrow('fingerprint pool "workers": the fleet has no such pool')
})
