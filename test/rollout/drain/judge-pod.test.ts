import { expect, test } from 'vitest'
import { judgePod } from '../../../src/rollout/drain/judge-pod.ts'
import type { PodView } from '../../../src/rollout/model/node-view.ts'
import { aPod } from '../builders/pods.ts'

function judge(more: Partial<PodView>, allowed: { deleteEmptyDirData?: true; force?: true } = {}): string {
  const verdict = judgePod(aPod('a', more), { deleteEmptyDirData: false, force: false, ...allowed })
  return verdict.kind === 'Consent' ? `Consent ${verdict.allow}` : verdict.kind
}

function without(key: keyof PodView): Partial<PodView> {
  return { [key]: undefined }
}

test('judgePod evicts what a controller makes again', () => {
  expect(judge({})).toBe('Evict')
  expect(judge({ controller: 'StatefulSet' })).toBe('Evict')
})

test('judgePod leaves pods of DaemonSets, mirrors of static pods, and pods that have finished', () => {
  expect(judge({ controller: 'DaemonSet', emptyDir: true })).toBe('Leave')
  expect(judge({ controller: 'Node', mirror: true, emptyDir: true })).toBe('Leave')
  expect(judge({ ...without('controller'), emptyDir: true, finished: true })).toBe('Leave')
})

test('judgePod evicts pods with an emptyDir volume only by consent', () => {
  expect(judge({ emptyDir: true })).toBe('Consent deleteEmptyDirData')
  expect(judge({ emptyDir: true }, { force: true })).toBe('Consent deleteEmptyDirData')
  expect(judge({ emptyDir: true }, { deleteEmptyDirData: true })).toBe('Evict')
})

test('judgePod evicts pods without a controller only by consent', () => {
  expect(judge(without('controller'))).toBe('Consent force')
  expect(judge(without('controller'), { deleteEmptyDirData: true })).toBe('Consent force')
  expect(judge(without('controller'), { force: true })).toBe('Evict')
})

test('judgePod awaits pods that were told to go, whatever they are', () => {
  expect(judge({ ...without('controller'), emptyDir: true, terminating: true })).toBe('Await')
  expect(judge({ controller: 'DaemonSet', terminating: true })).toBe('Leave')
})
