import { globSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { RepoFile, RepoSnapshot } from '../../src/protocol/repo-snapshot.ts'
import { HOME } from './cluster.ts'

const REPO = join(HOME, 'examples/repo')
const WORKER = 'node-role.kubernetes.io/worker'

/** A label that puts a node into the pool, by pool. */
export const POOL_LABELS: Readonly<Record<string, string>> = {
  'control-plane': 'node-role.kubernetes.io/control-plane',
  gpu: 'node-role.kubernetes.io/gpu',
  workers: WORKER,
  'workers-b': `${WORKER}-b`,
  'workers-c': `${WORKER}-c`,
}

/** A commit of the example fleet with two more pools of workers; each `number` changes what every node is to become. @param more lines of its base configuration */
export function exampleCommit(number: number, more = ''): RepoSnapshot {
  const paths = globSync('**', { cwd: REPO }).filter((path) => statSync(join(REPO, path)).isFile())
  const files = new Map(paths.map((path) => [path, fileOf(readFileSync(join(REPO, path)))]))
  const workers = textOf(files.get('pools/workers.yaml'))
  for (const suffix of ['-b', '-c']) {
    const pool = workers.replace('name: workers\n', `name: workers${suffix}\n`).replace(WORKER, `${WORKER}${suffix}`)
    files.set(`pools/workers${suffix}.yaml`, fileOf(Buffer.from(pool)))
  }
  const base = textOf(files.get('config/base.yaml')).replace('MaxSize: 50Mi', `MaxSize: ${50 + number}Mi${more}`)
  files.set('config/base.yaml', fileOf(Buffer.from(base)))
  return {
    commit: number.toString(16).padStart(40, '0'),
    author: { name: 'bench', email: 'bench@nodewave.invalid' },
    committedAt: 0,
    message: `config: commit ${number}`,
    parents: [],
    files,
  }
}

function fileOf(bytes: Uint8Array): RepoFile {
  return { kind: 'file', bytes }
}

function textOf(file: RepoFile | undefined): string {
  if (file?.kind !== 'file') throw new Error('read the example fleet: a file is missing')
  return Buffer.from(file.bytes).toString('utf8')
}
