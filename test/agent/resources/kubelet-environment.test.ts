import { expect, test } from 'vitest'
import { environmentChange } from '../../../src/agent/resources/kubelet-environment.ts'

const bytes = (text: string): Uint8Array => Buffer.from(text)

function difference(now: string | undefined, spec: { readonly original?: string; readonly OPTS: string | undefined }) {
  const original = spec.original === undefined ? undefined : bytes(spec.original)
  const about = { path: '/env', variables: { OPTS: spec.OPTS }, original }
  const change = environmentChange(about, now === undefined ? undefined : bytes(now))
  return change?.do === 'write' ? Buffer.from(change.bytes).toString() : change?.do
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
