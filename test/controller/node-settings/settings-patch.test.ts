import { expect, test } from 'vitest'
import { settingsPatch } from '../../../src/controller/node-settings/settings-patch.ts'

const key = 'nodewave.io/node-settings'
const NOT_READY = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }
const GPU = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }

test('settings of a Node that has none are written, with a record of their keys', () => {
  const settings = { labels: { tier: 'front', zone: 'a' }, annotations: { 'example.com/owner': 'team-a' }, taints: [GPU] }
  expect(settingsPatch(settings, { now: { taints: [NOT_READY] }, key })).toEqual({
    labels: { tier: 'front', zone: 'a' },
    annotations: {
      'example.com/owner': 'team-a',
      [key]: '{"labels":["tier","zone"],"annotations":["example.com/owner"],"taints":["gpu:NoSchedule"]}',
    },
    taints: [NOT_READY, GPU],
  })
})

test('settings that Git no longer names are taken away, and those of others stay', () => {
  const written = '{"labels":["tier","zone"],"annotations":["example.com/owner"],"taints":["gpu:NoSchedule"]}'
  expect(settingsPatch({ labels: { zone: 'b' } }, { now: { written, taints: [NOT_READY, GPU] }, key })).toEqual({
    labels: { tier: null, zone: 'b' },
    annotations: { 'example.com/owner': null, [key]: '{"labels":["zone"]}' },
    taints: [NOT_READY],
  })
})

test('labels by which a rule of the Ceiling selects stay as they are, whether Git has them or no longer does', () => {
  const written = '{"labels":["tier","zone"]}'
  const ceiling = { rules: [{ place: 'spec.rules[0]', nodeSelector: { matchLabels: { tier: 'restricted' } } }] }
  const on = (labels: Record<string, string>) => settingsPatch({ labels }, { now: { written }, key, ceiling }).labels
  expect(on({ tier: 'front', zone: 'b' })).toEqual({ zone: 'b' })
  expect(on({})).toEqual({ zone: null })
})

test('no label is written or removed while the Ceiling cannot be read', () => {
  const ceiling = { rules: [], unreadable: 'no right to list it' }
  const now = { written: '{"labels":["tier"]}' }
  expect(settingsPatch({ labels: { zone: 'b' } }, { now, key, ceiling }).labels).toEqual({})
})

test('settings that are all gone take the record with them', () => {
  expect(settingsPatch({}, { now: { written: '{"labels":["tier"]}' }, key })).toEqual({
    labels: { tier: null },
    annotations: { [key]: null },
  })
})

test('Node that never had settings is not written to', () => {
  expect(settingsPatch({}, { now: { taints: [NOT_READY] }, key })).toEqual({ labels: {}, annotations: {} })
})

test('taint of ours that has another value replaces the one before, and one of another effect stands beside it', () => {
  const now = { written: '{"taints":["gpu:NoSchedule"]}', taints: [GPU, { ...GPU, effect: 'NoExecute' }] }
  expect(settingsPatch({ taints: [{ ...GPU, value: 'no' }] }, { now, key }).taints).toEqual([
    { ...GPU, effect: 'NoExecute' },
    { ...GPU, value: 'no' },
  ])
})

test('record that somebody else wrote takes nothing away', () => {
  for (const written of ['{', '[]', '{"labels":"tier"}', `{"labels":["${'x'.repeat(70_000)}"]}`])
    expect(settingsPatch({}, { now: { written }, key }).labels, written.slice(0, 20)).toEqual({})
})
