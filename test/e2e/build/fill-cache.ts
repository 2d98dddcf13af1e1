/** Have everything that a cluster is made of in the cache. */
import { buildArtifacts } from '../artifacts/artifacts.ts'
import { debianBase } from './base.ts'
import { buildBinaries } from './binaries.ts'
import { dnfLayer } from './dnf-root.ts'
import { testImages } from './images.ts'

/** One line is announced for whatever has to be built; nothing when all is there. */
export async function fillCache(announce: (line: string) => void): Promise<void> {
  const base = await debianBase(announce)
  await dnfLayer(announce)
  const find = await buildBinaries('all', announce)
  await testImages(base)
  await buildArtifacts(find)
}
