import { expect, test } from 'vitest'
import { type ClusterNode, projectNode } from '../../../src/controller/cache/cluster-node.ts'
import { bounded, limitFacts } from '../../../src/controller/cache/limit-facts.ts'
import { namesFor } from '../../../src/protocol/names.ts'

const NOW = Date.UTC(2026, 10, 22, 8)
const MINUTE = 60_000

function object(osImage: string, labels: Record<string, string> = {}) {
  const metadata = { name: 'n1', resourceVersion: '1', creationTimestamp: '2026-11-21T08:00:00Z', labels }
  return { metadata, spec: {}, status: { nodeInfo: { osImage, architecture: 'amd64' } } }
}

/** Follows one node as the cache does. */
function follow() {
  let node: ClusterNode | undefined
  let now = NOW
  const project = limitFacts(projectNode(namesFor()), { known: () => node, now: () => now })
  return (seen: ReturnType<typeof object>, at: number) => {
    now = at
    node = project(seen)
    return node
  }
}

test('a node that changes its facts 113 times in 12 seconds has ten variants, and the last one once it was quiet', () => {
  const see = follow()
  see(object('Debian 12'), NOW)
  const images = new Set(Array.from({ length: 113 }, (_, n) => see(object(`image ${n}`), NOW + n * 100).facts.osImage))
  expect(images.size).toBe(10)
  expect(see(object('image 112'), NOW + 5 * MINUTE).facts.osImage).toBe('image 9')
  expect(see(object('image 112'), NOW + 11 * MINUTE).facts.osImage).toBe('image 112')
})

test('labels count as facts: a kubelet sets most of them', () => {
  const see = follow()
  const tiers = Array.from({ length: 30 }, (_, n) => see(object('Debian 12', { tier: String(n) }), NOW + n).view.labels.tier)
  expect(new Set(tiers).size).toBe(11)
})

test('a node that changes nothing keeps no account, and one that was created again begins with an empty one', () => {
  const see = follow()
  see(object('Debian 12'), NOW)
  expect(see(object('Debian 12'), NOW + MINUTE).factChanges).toBeUndefined()
  const node = see(object('Debian 13'), NOW + MINUTE)
  expect(node.factChanges).toEqual([NOW + MINUTE])
  const anew = { ...node, facts: { ...node.facts, arch: 'arm64', osImage: '' }, view: { ...node.view, createdAt: NOW } }
  expect(bounded(node, anew, NOW)).toBe(anew)
})

test.each([
  ['ten changes within ten minutes keep', 'Debian 12', NOW - 10 * MINUTE + 1],
  ['the oldest of ten changes ten minutes ago does not keep', 'Debian 13', NOW - 10 * MINUTE],
  ['a change of a clock that was put back does not keep', 'Debian 13', NOW + 1],
  ['a change at this moment keeps', 'Debian 12', NOW],
])('%s the facts of before', (_, osImage, first) => {
  const project = projectNode(namesFor())
  const factChanges = [first, ...Array.from({ length: 9 }, (_each, n) => NOW - n)]

  expect(bounded({ ...project(object('Debian 12')), factChanges }, project(object('Debian 13')), NOW).facts.osImage).toBe(osImage)
})

test('facts and conditions of any length are cut, and shown as what they are', () => {
  const seen = object(`\u001b[31m${'x'.repeat(100_000)}`)
  const conditions = Array.from({ length: 1000 }, (_, n) => ({ type: `T${n}`, status: 'True' }))
  const node = projectNode(namesFor())({ ...seen, status: { ...seen.status, conditions } })
  expect(node.facts.osImage).toHaveLength(256)
  expect(node.facts.osImage.startsWith('\\u{1b}[31mxxx')).toBe(true)
  expect(Object.keys(node.conditions)).toHaveLength(100)
})
