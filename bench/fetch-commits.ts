/**
 * `node bench/fetch-commits.ts [--nodes N]`: one commit after the other fetched by smart HTTP from real Git and read, N of them, in a
 * repository of 2,000 files with 5,000 commits before them. After each, the first of its two requests with nobody who reads the answer: what the
 * server and its processes take of the time. After each tenth, a fetch by `git` itself.
 */

import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { requestOf } from '../src/gitsync/fetch-pack.ts'
import { objectStore } from '../src/gitsync/object-store.ts'
import { readSnapshot } from '../src/gitsync/read-snapshot.ts'
import { createRemoteSource } from '../src/gitsync/remote-source.ts'
import { snapshotCache } from '../src/gitsync/snapshot-cache.ts'
import { importCommits, type Written } from './support/git-import.ts'
import { startGitServerProcess } from './support/git-server-process.ts'
import { median, print, readOptions, timed } from './support/report.ts'

const FILES = 2000
const HISTORY = 5000
const options = readOptions()
const count = options.nodes ?? 1000

const folder = await mkdtemp(join(tmpdir(), 'nodewave-bench-'))
try {
  await mkdir(join(folder, 'git'))
  await using server = await startGitServerProcess(join(folder, 'git'))
  const gitdir = join(folder, 'git', 'fleet.git')
  const git = promisify(execFile)
  await git('git', ['init', '--quiet', '--bare', '--initial-branch=main', gitdir])
  await git('git', ['-C', gitdir, 'config', 'uploadpack.allowFilter', 'true'])
  const url = `${server.url}/fleet.git`
  const ids = (await importCommits(gitdir, commits())).slice(HISTORY - 1)
  const source = createRemoteSource({ url, ref: { branch: 'main' }, directory: join(folder, 'objects') })
  const cache = snapshotCache()
  const { signal } = new AbortController()
  const look = async (id: string): Promise<void> => {
    // As a push: what the server has of later commits, nobody asks for.
    await writeFile(join(gitdir, 'refs/heads/main'), `${id}\n`)
    await source.head(signal)
  }
  const fetchAndRead = async (): Promise<void> => {
    const { commit, gitdir: fetched } = await source.fetch(signal)
    await readSnapshot(objectStore(fetched), commit, { folder: '', cache })
  }
  const askAlone = async (id: string, have: string): Promise<void> => {
    const body = requestOf({ wants: [id], have, shallow: [have], depth: 1, filter: 'blob:none' })
    const headers = { 'content-type': 'application/x-git-upload-pack-request' }
    const answer = await fetch(`${url}/git-upload-pack`, { method: 'POST', headers, body: new Uint8Array(body) })
    await answer.arrayBuffer()
  }
  const [first = '', ...rest] = ids
  await look(first)
  const clone = await timed(fetchAndRead)
  const peer = join(folder, 'peer')
  await git('git', ['clone', '--quiet', '--bare', '--depth=1', url, peer])
  const times: number[] = []
  const alone: number[] = []
  const byGit: number[] = []
  let have = first
  const tidying: number[] = []
  /** Microseconds of CPU for what is only measured beside. */
  let besides = 0
  const before = process.cpuUsage()
  for (const [n, id] of rest.entries()) {
    await look(id)
    times.push(await timed(fetchAndRead))
    tidying.push(await timed(() => source.tidy(signal)))
    const { user, system } = process.cpuUsage()
    alone.push(await timed(() => askAlone(id, have)))
    if (n % 10 === 0) byGit.push(await timed(() => git('git', ['-C', peer, 'fetch', '--quiet', '--depth=1', 'origin', 'main'])))
    const after = process.cpuUsage()
    besides += after.user + after.system - user - system
    have = id
  }
  const { user, system } = process.cpuUsage(before)
  const part = Math.ceil(times.length / 10)
  print(
    [
      { name: `the first fetch and read, ${FILES} files`, value: clone, unit: 'ms' },
      { name: `fetch and read of one commit, median of ${times.length}`, value: median(times), unit: 'ms', aim: 60 },
      { name: `the same, median of the first ${part}`, value: median(times.slice(0, part)), unit: 'ms', aim: 60 },
      { name: `the same, median of the last ${part}`, value: median(times.slice(-part)), unit: 'ms', aim: 60 },
      { name: 'the same, slowest', value: Math.max(...times), unit: 'ms' },
      { name: 'tidying after one, slowest', value: Math.max(...tidying), unit: 'ms' },
      { name: 'CPU of this process for one, all included', value: (user + system - besides) / 1000 / times.length, unit: 'ms' },
      { name: 'the first of its two requests, with nobody who reads the answer, median', value: median(alone), unit: 'ms' },
      { name: 'fetch and read of one commit, by that request', value: median(times) / median(alone), unit: 'times' },
      { name: `git fetch --depth=1 of the same, median of ${byGit.length}`, value: median(byGit), unit: 'ms' },
    ],
    options,
  )
} finally {
  await rm(folder, { recursive: true, force: true })
}

/** Each changes one file. */
function* commits(): Generator<Written> {
  const text = (n: number, version: number) => `# file ${n}\nversion: ${version}\n`
  yield Object.fromEntries(Array.from({ length: FILES }, (_, n) => [pathOf(n), text(n, 0)]))
  for (let n = 1; n < HISTORY + count; n++) yield { [pathOf(n % FILES)]: text(n % FILES, n) }
}

function pathOf(n: number): string {
  return `group-${n % 20}/file-${n}.yaml`
}
