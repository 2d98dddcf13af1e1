/** An OCI image archive written by hand: one layer, no registry, no builder. */
import { createHash } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run } from '../exec.ts'

export interface ImageSpec {
  /** Full reference, with the registry's host. */
  readonly name: string
  readonly entrypoint: readonly string[]
  /** Directory whose content is the image's root. */
  readonly rootfs: string
}

interface Blob {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

const types = 'application/vnd.oci.image'

/** Write the archive that `ctr images import` takes. */
export async function writeImage(spec: ImageSpec, archive: string): Promise<void> {
  const dir = `${archive}.layout`
  await rm(dir, { recursive: true, force: true })
  await mkdir(join(dir, 'blobs/sha256'), { recursive: true })
  await tar(spec.rootfs, `${archive}.layer`)
  const layer = await putBlob(dir, await readFile(`${archive}.layer`), `${types}.layer.v1.tar`)
  const config = {
    architecture: process.arch === 'arm64' ? 'arm64' : 'amd64',
    os: 'linux',
    config: { Entrypoint: spec.entrypoint, Env: ['PATH=/bin'] },
    rootfs: { type: 'layers', diff_ids: [layer.digest] },
  }
  const manifest = {
    schemaVersion: 2,
    mediaType: `${types}.manifest.v1+json`,
    config: await putBlob(dir, json(config), `${types}.config.v1+json`),
    layers: [layer],
  }
  const entry = await putBlob(dir, json(manifest), manifest.mediaType)
  const index = {
    schemaVersion: 2,
    mediaType: `${types}.index.v1+json`,
    manifests: [{ ...entry, annotations: { 'io.containerd.image.name': spec.name } }],
  }
  await writeFile(join(dir, 'index.json'), json(index))
  await writeFile(join(dir, 'oci-layout'), json({ imageLayoutVersion: '1.0.0' }))
  await tar(dir, `${archive}.partial`)
  await rename(`${archive}.partial`, archive)
  await rm(dir, { recursive: true })
  await rm(`${archive}.layer`)
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

async function putBlob(dir: string, content: Buffer, mediaType: string): Promise<Blob> {
  const hash = createHash('sha256').update(content).digest('hex')
  await writeFile(join(dir, 'blobs/sha256', hash), content)
  return { mediaType, digest: `sha256:${hash}`, size: content.length }
}

async function tar(directory: string, archive: string): Promise<void> {
  const stable = ['--sort=name', '--mtime=@0', '--owner=0', '--group=0', '--numeric-owner']
  await run('tar', [...stable, '-C', directory, '-cf', archive, '.'])
}
