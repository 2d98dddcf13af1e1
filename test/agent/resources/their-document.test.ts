import { expect, test } from 'vitest'
import { theirDocument } from '../../../src/agent/resources/their-document.ts'

const before = { clusterDNS: ['10.96.0.10'], maxPods: 110, evictionHard: { 'memory.available': '100Mi' } }
const ours = { ...before, maxPods: 50, evictionHard: { 'memory.available': '1Gi', 'nodefs.available': '5%' } }

test('baseline of a document stays as it was when the document still is ours', () => {
  expect(theirDocument({ before, ours, now: ours })).toEqual(before)
})

test('baseline of a document that was rewritten as a whole is what was written', () => {
  const now = { clusterDNS: ['10.200.0.10'], maxPods: 110 }

  expect(theirDocument({ before, ours, now })).toEqual(now)
})

test('baseline of a document takes a field that others changed, and none of ours', () => {
  const now = { ...ours, clusterDomain: 'new.local', evictionHard: { ...ours.evictionHard, 'imagefs.available': '9%' } }

  expect(theirDocument({ before, ours, now })).toEqual({
    clusterDNS: ['10.96.0.10'],
    maxPods: 110,
    clusterDomain: 'new.local',
    evictionHard: { 'memory.available': '100Mi', 'imagefs.available': '9%' },
  })
})

test('baseline of a document that had nothing of ours before loses what others removed, and gets nothing of ours', () => {
  expect(theirDocument({ before: { a: 1 }, ours: { a: 1, b: 2 }, now: { b: 2 } })).toEqual({})
})

test('baseline of a document gets back the list that was there, where the list still is as we wrote it', () => {
  const versions = { before: { dns: ['theirs'] }, ours: { dns: ['ours'] }, now: { dns: ['ours'], more: 1 } }

  expect(theirDocument(versions)).toEqual({ dns: ['theirs'], more: 1 })
})
