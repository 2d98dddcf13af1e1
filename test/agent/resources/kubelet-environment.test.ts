import { expect, test } from 'vitest'
import { kubeletEnvironment } from '../../../src/agent/resources/kubelet-environment.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)
const STAT = { type: 'file', size: 1, mode: 0o640, uid: 0, gid: 0 } as const

function difference(now: string | undefined, spec: { readonly original?: string; readonly OPTS: string | undefined }) {
  const original = spec.original === undefined ? undefined : bytes(spec.original)
  const actual = now === undefined ? undefined : { bytes: bytes(now), stat: STAT }
  const change = kubeletEnvironment.difference({ path: '/env', variables: { OPTS: spec.OPTS }, original }, actual)
  return change?.kind === 'write' ? Buffer.from(change.bytes).toString() : change?.kind
}

test('environment file is left alone when its variable has the value already, however it is quoted', () => {
  expect(difference("OPTS='--a'\n", { original: '', OPTS: '--a' })).toBeUndefined()
})

test('environment file that nobody else edited is made from the original', () => {
  expect(difference('# x\nOPTS="--a"\n', { original: '# x\nOPTS=--old\n', OPTS: '--old' })).toBe('# x\nOPTS=--old\n')
})

test('environment file that somebody else edited keeps the edit', () => {
  expect(difference('# y\nOPTS="--a"\n', { original: '# x\nOPTS=--old\n', OPTS: '--old' })).toBe('# y\nOPTS="--old"\n')
})

test('environment file that was not there before goes when nothing of ours is left, but not with what others wrote', () => {
  expect(difference('OPTS="--a"\n', { OPTS: undefined })).toBe('remove')
  expect(difference('OPTS="--a"\nOTHER=1\n', { OPTS: undefined })).toBe('OTHER=1\n')
  expect(difference(undefined, { OPTS: undefined })).toBeUndefined()
})
