import { expect, test } from 'vitest'
import { shareDownloads } from '../../../src/agent/transaction/shared-downloads.ts'

const ARTIFACT = { url: 'https://releases.test/kubelet', sha256: 'a' }
const OPTIONS = { maxBytes: 10 }

function shared() {
  const begun: { readonly to: string; readonly end: PromiseWithResolvers<void> }[] = []
  const downloads = shareDownloads({
    fetch: (_, to) => {
      const end = Promise.withResolvers<void>()
      begun.push({ to, end })
      return end.promise
    },
  })
  return { downloads, begun, targets: () => begun.map(({ to }) => to) }
}

/** Everything that needs no time has happened. */
const settled = () => new Promise((resolve) => setImmediate(resolve))

test('two downloads to one place come one after the other, and to two places side by side', async () => {
  const { downloads, begun, targets } = shared()
  const works = ['/a', '/a', '/b'].map((to) => downloads.fetch(ARTIFACT, to, OPTIONS))
  await settled()
  expect(targets()).toEqual(['/a', '/b'])
  begun[0]?.end.resolve()
  await settled()
  expect(targets()).toEqual(['/a', '/b', '/a'])
  for (const { end } of begun) end.resolve()

  expect(await Promise.all(works)).toHaveLength(3)
})

test('download that fails fails for itself alone', async () => {
  const { downloads, begun, targets } = shared()
  const [first, second] = [downloads.fetch(ARTIFACT, '/a', OPTIONS), downloads.fetch(ARTIFACT, '/a', OPTIONS)]
  begun[0]?.end.reject(new Error('HTTP 500'))
  await expect(first).rejects.toThrow('HTTP 500')
  await settled()
  begun[1]?.end.resolve()
  await second

  expect(targets()).toEqual(['/a', '/a'])
})

test('download that waits for another one ends when it is not wanted any more', async () => {
  const { downloads, targets } = shared()
  const stop = new AbortController()
  void downloads.fetch(ARTIFACT, '/a', OPTIONS)
  const waiting = downloads.fetch(ARTIFACT, '/a', { ...OPTIONS, signal: stop.signal })
  stop.abort()

  await expect(waiting).rejects.toThrow('aborted')
  expect(targets()).toEqual(['/a'])
})
