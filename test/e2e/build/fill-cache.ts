/** Have everything that a cluster is made of in the cache. */
import { buildArtifacts } from '../artifacts/artifacts.ts'
import { debianBase } from './base.ts'
import { buildBinaries } from './binaries.ts'
import { testImages } from './images.ts'
import { rpmLayer } from './rpm-root.ts'

/** One line is announced for whatever has to be built; nothing when all is there. */
export async function fillCache(announce: (line: string) => void): Promise<void> {
  const base = await debianBase(announce)
  for (const manager of ['dnf', 'zypper'] as const) await rpmLayer(manager, announce)
  const find = await buildBinaries('all', announce)
  await testImages(base)
  await buildArtifacts(find)
}
