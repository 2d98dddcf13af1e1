/**
 * `node bench/fetch-memory.ts`: the highest resident memory of a process that fetches and reads a fleet by smart HTTP, for repositories
 * that hold other things, from a server that can leave files out, and from one that cannot; with the environment of deploy/controller.yaml.
 */

import { execFile, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { startGitServer } from '../src/sim/git-server.ts'
import { controllerEnvironment } from '../test/e2e/product/controller-environment.ts'
import { HOME } from './support/cluster.ts'
import { type Figure, print, readOptions } from './support/report.ts'

const MIB = 1024 * 1024

interface Repository {
  readonly name: string
  readonly aim: number
  /** Puts files beside the fleet. */
  readonly fill: (folder: string) => Promise<void>
}

const REPOSITORIES: readonly Repository[] = [
  { name: 'the fleet alone', aim: 150, fill: async () => {} },
  { name: '15,000 files beside the fleet', aim: 150, fill: (folder) => manyFiles(folder, 15_000) },
  {
    name: '30 MiB that compress badly beside the fleet',
    aim: 300,
    fill: (folder) => largeFiles(folder, 15, randomBytes(2 * MIB)),
  },
  {
    name: '480 MiB that compress well beside the fleet',
    aim: 300,
    fill: (folder) => largeFiles(folder, 32, Buffer.alloc(15 * MIB)),
  },
  {
    name: '300 MiB that compress badly beside the fleet',
    aim: 300,
    fill: (folder) => largeFiles(folder, 20, randomBytes(15 * MIB)),
  },
]

/** A process without them needs other memory. */
const environment = await controllerEnvironment()
const figures: Figure[] = []
for (const repository of REPOSITORIES) for (const filters of [true, false]) figures.push(...(await measure(repository, filters)))
print(figures, readOptions())

async function measure({ name, aim, fill }: Repository, filters: boolean): Promise<Figure[]> {
  const folder = await mkdtemp(join(tmpdir(), 'nodewave-bench-'))
  try {
    await mkdir(join(folder, 'git'))
    await using server = await startGitServer({ root: join(folder, 'git'), filters })
    const url = await server.createRepository('fleet.git')
    const work = join(folder, 'fleet')
    await cp(join(HOME, 'examples'), work, { recursive: true })
    await fill(work)
    await git(work, ['init', '--quiet', '--initial-branch=main'])
    await git(work, ['add', '--all'])
    await git(work, ['commit', '--quiet', '--message', 'a fleet, and other things'])
    // By its path: pushing is not what is measured.
    await git(work, ['push', '--quiet', join(folder, 'git', 'fleet.git'), 'main'])
    const start = performance.now()
    const child = spawn(process.execPath, [join(import.meta.dirname, 'support/fetch-once.ts'), url, join(folder, 'objects')], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, ...environment },
    })
    let said = ''
    child.stdout.on('data', (chunk) => {
      said += chunk
    })
    await once(child, 'close')
    const { peak, files } = JSON.parse(said) as { peak: number; files: number | string }
    const what = `fetch, ${name}, ${filters ? 'filtered' : 'whole'} (${files})`
    return [
      { name: `${what}: highest resident memory`, value: peak, unit: 'MB', aim },
      { name: `${what}: time`, value: performance.now() - start, unit: 'ms' },
    ]
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function git(folder: string, args: readonly string[]): Promise<void> {
  const identity = [
    '-c',
    'user.name=bench',
    '-c',
    'user.email=bench@nodewave.invalid',
    '-c',
    'core.compression=1',
    '-c',
    'gc.auto=0',
  ]
  await promisify(execFile)('git', ['-C', folder, ...identity, ...args])
}

async function manyFiles(folder: string, count: number): Promise<void> {
  for (let n = 0; n < count; n++) {
    const directory = join(folder, 'other', String(n % 150))
    if (n < 150) await mkdir(directory, { recursive: true })
    await writeFile(join(directory, `${n}.txt`), `${n}\n${randomBytes(300).toString('base64')}`)
  }
}

/** Each differs at its end, so that every one of them is an object of its own. */
async function largeFiles(folder: string, count: number, content: Buffer): Promise<void> {
  await mkdir(join(folder, 'other'), { recursive: true })
  const isRandom = content.some((byte) => byte !== 0)
  for (let n = 0; n < count; n++)
    await writeFile(join(folder, 'other', String(n)), [isRandom ? randomBytes(content.length) : content, String(n)])
}
