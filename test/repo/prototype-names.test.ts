import { expect, test } from 'vitest'
import { applyMergePatch } from '../../src/protocol/merge-patch.ts'
import { selects } from '../../src/protocol/node-selector.ts'
import { createRenderer } from '../../src/render/create-renderer.ts'
import { loadFleet } from '../../src/repo/load-fleet.ts'
import { formatProblem } from '../../src/repo/problem.ts'
import { aNode } from '../render/fleets.ts'
import { aDocument, aRepo, FLEET } from './fleets.ts'

/** What every object has besides its own, and what would change an object's own kind. */
const NAMES = ['constructor', 'toString', 'hasOwnProperty', 'valueOf', '__proto__', '__defineGetter__'] as const
/** Names of flags have lower-case letters and dashes alone, labels begin with a letter. */
const FLAG = 'constructor'
const LABELS = NAMES.filter((name) => /^[A-Za-z]/.test(name))

function load(spec: string, more: Readonly<Record<string, string>> = {}) {
  return loadFleet(aRepo({ 'fleet.yaml': FLEET, 'p.yaml': aDocument('NodePool', 'p', `spec:\n${spec}\n`), ...more }))
}

function problems(loaded: ReturnType<typeof load>): string {
  return loaded.problems.map(formatProblem).join('\n')
}

test('a flag with the name of what every object has is an unknown flag', () => {
  const loaded = load(`  nodeSelector: {matchLabels: {}}\n  kubelet: {flags: {${FLAG}: x}}`)
  expect(problems(loaded)).toContain('flag --constructor is not known to any kubelet')
})

test.for(NAMES)('a value, a gate or a field with the name "%s" is judged as any other', (name) => {
  const kubelet = `{flags: {node-labels: {"${name}": x}, feature-gates: {"${name}": true}}, config: [c]}`
  const config = aDocument('KubeletConfig', 'c', `spec: {config: {"${name}": 1, evictionHard: {"${name}": "1"}}}\n`)
  const loaded = load(`  nodeSelector: {matchLabels: {}}\n  kubelet: ${kubelet}`, { 'c.yaml': config })
  expect(problems(loaded)).toContain(`"${name}"`)
})

test.for(LABELS)('a label "%s" selects the nodes that have it, and no other', (name) => {
  const override = `spec: {nodeSelector: {matchLabels: {${name}: "yes"}}, flags: {root-dir: "{{ node.labels.${name} }}"}}\n`
  const loaded = load(`  nodeSelector: {matchLabels: {role: worker, ${name}: "yes"}}`, {
    'o.yaml': aDocument('NodeOverride', 'o', override),
  })
  if (!loaded.model) throw new Error(problems(loaded))
  const renderer = createRenderer(loaded.model)
  const poolOf = (labels: Record<string, string>) => renderer.poolOf(aNode('n', { labels })).kind
  expect(poolOf({ role: 'worker', [name]: 'yes' })).toBe('owned')
  expect(poolOf({ role: 'worker' })).toBe('unowned')
  const rendered = renderer.render('p', aNode('n', { labels: { role: 'worker', [name]: 'yes' } }))
  expect(rendered.ok && rendered.content).toMatchObject({ opts: '--root-dir=yes' })
})

test('a selector tells a label that is there from what every object has', () => {
  const exists = { matchExpressions: [{ key: 'constructor', operator: 'Exists' }] } as const
  expect([selects(exists, {}), selects(exists, { constructor: 'x' })]).toEqual([false, true])
})

test('an address may hold words in braces that stand for nothing', () => {
  const pool = `  nodeSelector: {matchLabels: {}}\n  kubelet: {version: "1.36.3", release: r}`
  const release = `spec: {url: "https://a/{{ constructor }}/kubelet", sha256: {"1.36.3": {amd64: ${'0'.repeat(64)}}}}\n`
  const text = problems(load(pool, { 'r.yaml': aDocument('KubeletRelease', 'r', release) }))
  expect(text).not.toContain('native code')
})

test('a kubelet configuration is merged by keys, whatever their names', () => {
  const merged = applyMergePatch({ a: 1 }, JSON.parse('{"__proto__": {"b": 2}, "constructor": {"c": 3}}'))
  expect(JSON.stringify(merged)).toBe('{"a":1,"__proto__":{"b":2},"constructor":{"c":3}}')
})
