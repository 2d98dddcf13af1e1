import { expect, test } from 'vitest'
import { settingsRepair } from '../../../src/controller/node-settings/settings-drift.ts'
import type { DriftRules } from '../../../src/protocol/drift-policy.ts'
import { formatWrittenSettings, type NodeSettings, type SettingsHistory } from '../../../src/protocol/node-settings.ts'

const AT = Date.parse('2026-11-22T10:00:00Z')
const STAMP = '2026-11-22T10:00:00.000Z'
const GPU = { key: 'gpu', value: 'yes', effect: 'NoSchedule' }
const EVICTING = { key: 'gpu', value: 'yes', effect: 'NoExecute' }
const WANTED: NodeSettings = { labels: { tier: 'front' }, annotations: { 'example.com/owner': 'team-a' }, taints: [GPU] }
const AS_WANTED = { labels: { tier: 'front', mine: 'yes' }, annotations: { 'example.com/owner': 'team-a' }, taints: [GPU] }

interface Given {
  readonly wanted?: NodeSettings
  readonly now?: object
  readonly drift?: DriftRules
  readonly history?: SettingsHistory
  readonly written?: string | undefined
}

function repairOf({ wanted = WANTED, now = {}, drift = {}, history, ...given }: Given) {
  const written = 'written' in given ? given.written : (formatWrittenSettings(wanted, history) ?? undefined)
  return settingsRepair(wanted, { now: { ...AS_WANTED, written, ...now }, drift, at: AT })
}

test('Node is left as it is when it has what Git has', () => {
  expect(repairOf({})).toBeUndefined()
})

test('what somebody changed is written again, alone, and the record says when', () => {
  const now = { labels: { tier: 'back' }, taints: [] }
  expect(repairOf({ now })).toEqual({
    settings: { labels: { tier: 'front' }, annotations: {}, taints: [GPU] },
    history: { repairs: { 'label tier': [STAMP], 'taint gpu:NoSchedule': [STAMP] }, drift: [], contested: {} },
  })
})

test('annotation that somebody removed is written again', () => {
  expect(repairOf({ now: { annotations: {} } })?.settings.annotations).toEqual({ 'example.com/owner': 'team-a' })
})

test('taint with another value is written again, and one of another effect is none of ours', () => {
  const taints = [{ ...GPU, value: 'no' }, EVICTING]
  expect(repairOf({ now: { taints } })?.settings.taints).toEqual([GPU])
})

test('taint that evicts pods is reported, and not written again', () => {
  const wanted = { taints: [EVICTING] }
  const first = repairOf({ wanted, now: { taints: [] } })
  expect(first).toEqual({
    settings: { labels: {}, annotations: {}, taints: [] },
    history: { repairs: {}, drift: ['taint gpu:NoExecute'], contested: {} },
  })
  expect(repairOf({ wanted, now: { taints: [] }, ...(first && { history: first.history }) })).toBeUndefined()
})

test('Node is told to be right again when somebody has written it back', () => {
  expect(repairOf({ history: { drift: ['label tier'] } })?.history).toEqual({ repairs: {}, drift: [], contested: {} })
})

test.each([
  [{ policy: 'Report' } as const, ['label tier']],
  [{ policy: 'Repair', kinds: { node: 'Report' } } as const, ['label tier']],
])('what somebody changed is only reported under %j', (drift, reported) => {
  const repair = repairOf({ drift, now: { labels: {} } })
  expect(repair?.settings).toEqual({ labels: {}, annotations: {}, taints: [] })
  expect(repair?.history).toEqual({ repairs: {}, drift: reported, contested: {} })
})

test('nobody looks when the policy is Ignore', () => {
  expect(repairOf({ drift: { policy: 'Ignore' }, now: { labels: {}, taints: [] } })).toBeUndefined()
})

const stamps = (...minutes: number[]) => minutes.map((ago) => new Date(AT - ago * 60_000).toISOString())

test('what was written again as often as the policy says is contested, with who changes it, and left alone', () => {
  const history = { repairs: { 'label tier': stamps(30, 20, 10, 5) } }
  const now = { labels: { tier: 'back' }, managers: { 'label tier': 'kubectl-label' } }
  const repair = repairOf({ now, history })
  expect(repair?.settings.labels).toEqual({})
  expect(repair?.history).toMatchObject({ drift: ['label tier'], contested: { 'label tier': 'kubectl-label' } })
  expect(repairOf({ now, ...(repair && { history: repair.history }) })).toBeUndefined()
})

test('what is contested stays so after the hour, and a new change of something else is repaired', () => {
  const history = { drift: ['label tier'], contested: { 'label tier': '' } }
  expect(repairOf({ now: { labels: {} }, history })).toBeUndefined()
  const repair = repairOf({ now: { labels: {}, taints: [] }, history })
  expect(repair?.settings).toEqual({ labels: {}, annotations: {}, taints: [GPU] })
  expect(repair?.history).toMatchObject(history)
})

test('what is contested stays so while it is for once as in Git', () => {
  const history = { drift: ['label tier'], contested: { 'label tier': 'kubectl-label' } }
  expect(repairOf({ history })?.history).toMatchObject({ drift: [], contested: { 'label tier': 'kubectl-label' } })
})

test('repairs of an hour ago and more do not count', () => {
  const history = { repairs: { 'label tier': stamps(90, 80, 61, 60) } }
  expect(repairOf({ now: { labels: {} }, history })?.history.repairs).toEqual({ 'label tier': [STAMP] })
})

test('what was repaired an hour ago for the last time is not in the record any more', () => {
  const history = { repairs: { 'taint gpu:NoSchedule': stamps(90, 60) } }
  expect(repairOf({ now: { labels: {} }, history })?.history.repairs).toEqual({ 'label tier': [STAMP] })
})

test('repairs per hour are those of the policy', () => {
  const history = { repairs: { 'label tier': stamps(5) } }
  expect(repairOf({ drift: { repairsPerHour: 1 }, now: { labels: {} }, history })?.settings.labels).toEqual({})
})

test('record that somebody removed or broke is written again, with what it names', () => {
  for (const written of [undefined, '{', '{"labels":["tier"]}'])
    expect(repairOf({ written })?.history, written).toEqual({ repairs: {}, drift: [], contested: {} })
})

test('history that would make the record too long is left out of it', () => {
  const labels = Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`example.com/label-${index}`, 'x']))
  const repairs = Object.fromEntries(Object.keys(labels).map((key) => [`label ${key}`, stamps(4, 3, 2, 1)]))
  expect(JSON.parse(formatWrittenSettings({ labels }, { repairs }) ?? '')).toEqual({
    labels: Object.keys(labels).sort(),
    annotations: [],
    taints: [],
  })
})
