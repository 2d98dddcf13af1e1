import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { kubeconfigChange } from '../../src/cli/kubeconfig-change.ts'

const directory = mkdtempSync(join(tmpdir(), 'kubeconfig-'))
const path = join(directory, 'kubelet.conf')
afterEach(() => rmSync(path, { force: true }))

const kubeconfig = (server: string) =>
  JSON.stringify({
    'current-context': 'c',
    contexts: [{ name: 'c', context: { cluster: 'k', user: 'u' } }],
    clusters: [{ name: 'k', cluster: { server } }],
    users: [{ name: 'u', user: { token: 't' } }],
  })

/** Each look is preceded by one of the events; after the last one the waiting ends. @returns how many looks there were */
async function watchWhile(...events: (() => void)[]): Promise<{ readonly looks: number; readonly aborted: boolean }> {
  const known = kubeconfig('https://10.0.0.1:6443')
  writeFileSync(path, known)
  const stop = new AbortController()
  let looks = 0
  const sleep = async () => {
    const event = events[looks++]
    if (event === undefined) stop.abort()
    event?.()
  }
  await kubeconfigChange(path, known, { clock: { now: () => 0, elapsed: () => 0, sleep }, signal: stop.signal, every: 30_000 })
  return { looks, aborted: stop.signal.aborted }
}

test('kubeconfig that names another server is noticed at the next look', async () => {
  const replace = () => writeFileSync(path, kubeconfig('https://10.0.0.99:6443'))

  expect(
    await watchWhile(
      () => {},
      replace,
      () => {},
    ),
  ).toEqual({ looks: 2, aborted: false })
})

test('kubeconfig that is written again with the same content, or is gone or broken for a while, is not', async () => {
  const events = [
    () => writeFileSync(path, kubeconfig('https://10.0.0.1:6443')),
    () => rmSync(path),
    () => writeFileSync(path, kubeconfig('https://10.0.0.99:6443').slice(0, 40)),
    () => writeFileSync(path, kubeconfig('https://10.0.0.1:6443')),
  ]

  expect(await watchWhile(...events)).toMatchObject({ aborted: true })
})
