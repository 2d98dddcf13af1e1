/** Everything that nodes download in the tests, made once: kubelets as binaries and as packages, containerd as packages. */
import { createHash } from 'node:crypto'
import { readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { FindBinary } from '../build/binaries.ts'
import { cacheRoot, digestOf, once } from '../build/cache.ts'
import { kubeletVersions, putFile } from '../build/layers.ts'
import { buildAptRepositories } from './apt-repository.ts'
import { buildRpmRepositories } from './rpm-repository.ts'

/** Raised when what is made below changes, so that no cache keeps the old. */
const format = 4

/** The directory that the artifact server serves. */
export async function buildArtifacts(find: FindBinary): Promise<string> {
  const kubelets = kubeletVersions.map((version) => ({ version, binary: find('kubelet', version) }))
  const containerd = find('containerd')
  const dir = join(cacheRoot, 'artifacts', digestOf(JSON.stringify([format, kubelets, containerd])))
  await once(dir, async () => {
    const partial = `${dir}.partial`
    await rm(partial, { recursive: true, force: true })
    for (const { version, binary } of kubelets) {
      const path = binaryUrlPath(version)
      const sum = createHash('sha256')
        .update(await readFile(binary))
        .digest('hex')
      await putFile(partial, { path, content: { file: binary } })
      await putFile(partial, { path: `${path}.sha256`, content: sum })
    }
    await buildAptRepositories(partial, { kubelets, containerd })
    await buildRpmRepositories(partial, kubelets)
    await rename(partial, dir)
  })
  return dir
}

/** As at dl.k8s.io; `.sha256` after it is its checksum. */
export function binaryUrlPath(version: string): string {
  return `/release/v${version}/bin/linux/amd64/kubelet`
}
