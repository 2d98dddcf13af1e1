/** What kwok does with fake nodes and pods: its own stages, which its module brings along. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { cacheRoot, once } from './cache.ts'
import { moduleDirectory } from './module-dir.ts'
import { versions } from './versions.ts'

const stages = [
  'node/fast/node-initialize.yaml',
  'node/heartbeat-with-lease/node-heartbeat-with-lease.yaml',
  'pod/fast/pod-ready.yaml',
  'pod/fast/pod-complete.yaml',
  'pod/fast/pod-delete.yaml',
]

/** Path of one file with all of them. */
export async function kwokStages(): Promise<string> {
  const path = join(cacheRoot, 'kwok', `stages-${versions.kwok}.yaml`)
  await once(path, async () => {
    const dir = await moduleDirectory('sigs.k8s.io/kwok', versions.kwok)
    const texts = await Promise.all(stages.map((stage) => readFile(join(dir, 'kustomize/stage', stage), 'utf8')))
    await writeFile(path, texts.join('\n---\n'))
  })
  return path
}
