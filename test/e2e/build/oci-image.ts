/** An image of one layer, for what pods of the tests run. */
import { rename, writeFile } from 'node:fs/promises'
import { folderEntries } from '../../../scripts/image/folder-entries.ts'
import { imageArchive } from '../../../scripts/image/oci-archive.ts'

export interface ImageSpec {
  /** Full reference, with the registry's host. */
  readonly name: string
  readonly entrypoint: readonly string[]
  /** Directory whose content is the image's root. */
  readonly rootfs: string
}

/** Write the archive that `ctr images import` takes. */
export async function writeImage({ name, entrypoint, rootfs }: ImageSpec, archive: string): Promise<void> {
  const architecture = process.arch === 'arm64' ? 'arm64' : 'amd64'
  const layers = [[...folderEntries(rootfs, { at: '' }), { path: 'tmp', mode: 0o1777 }]]
  const config = { Entrypoint: entrypoint, Env: ['PATH=/bin'] }
  await writeFile(`${archive}.partial`, imageArchive({ name, variants: [{ architecture, layers }], config }).archive)
  await rename(`${archive}.partial`, archive)
}
