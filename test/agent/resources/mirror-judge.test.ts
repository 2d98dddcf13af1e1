import { expect, test } from 'vitest'
import type { MirrorPod } from '../../../src/agent/ports.ts'
import { judgeMirror, type MirrorLook, mirrorRecordFrom } from '../../../src/agent/resources/mirror-judge.ts'

const OURS: MirrorPod = { digest: 'd', ready: true, restarts: 0, trouble: undefined }
const PULLING: MirrorPod = { ...OURS, ready: false, trouble: 'container "main": ErrImagePull' }

/** A look every second, the last one for as long as it takes. @returns the verdict, and at which second it came */
function judged(...looks: readonly MirrorLook['pod'][]) {
  let record = mirrorRecordFrom(0)
  for (let second = 0; second < 1000; second++) {
    const pod = looks[Math.min(second, looks.length - 1)]
    const found = judgeMirror(record, { at: second * 1000, pod }, { digest: 'd', within: 20_000 })
    record = found.record
    if (found.verdict.kind !== 'wait') return { ...found.verdict, second }
  }
  return { kind: 'wait' }
}

test('a pod that stays Ready for five seconds is proved', () => {
  expect(judged(undefined, PULLING, OURS)).toEqual({ kind: 'ready', second: 7 })
})

test('a pod that is Ready just before its time is over may show that it stays so', () => {
  expect(judged(...Array<MirrorPod>(18).fill(PULLING), OURS)).toEqual({ kind: 'ready', second: 23 })
})

test('a pod that is Ready for a moment after each restart is not proved', () => {
  const looping = Array.from({ length: 40 }, (_, restarts): MirrorPod => ({ ...OURS, restarts: Math.floor(restarts / 3) }))

  expect(judged(...looping)).toEqual({ kind: 'failed', why: 'its containers keep exiting', second: 25 })
})

test.each([
  [
    'no mirror pod',
    undefined,
    'it has no mirror pod: the kubelet refused the manifest, or the API server refused the mirror pod, as in a namespace that does not exist; see journalctl -u kubelet',
  ],
  ['the mirror pod of another manifest', { ...OURS, digest: 'e' }, 'its mirror pod is still that of another manifest'],
  ['a container that cannot start', PULLING, 'container "main": ErrImagePull'],
  ['a pod that is not Ready', { ...OURS, ready: false }, 'its mirror pod is not Ready'],
])('%s when its time is over fails', (_, pod, why) => {
  expect(judged(pod)).toEqual({ kind: 'failed', why, second: 20 })
})

test('an outage of the API server does not count to the time of a pod', () => {
  const silent = Array<'silent'>(60).fill('silent')

  expect(judged(PULLING, ...silent, PULLING, OURS)).toEqual({ kind: 'ready', second: 67 })
})

test('a pod that was Ready before a short outage goes on to be', () => {
  expect(judged(OURS, OURS, 'silent', OURS)).toEqual({ kind: 'ready', second: 5 })
})

test('a pod after which the API server never answers is given up: it may be what leads there', () => {
  expect(judged(PULLING, 'silent')).toEqual({ kind: 'failed', why: 'the API server does not answer', second: 300 })
})
