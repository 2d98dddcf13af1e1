/** An OCI image as the one file that `ctr images import`, `skopeo` and `podman load` take: no daemon, no builder, no registry. */
import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { type TarEntry, tarOf } from './tar.ts'

export interface ImageVariant {
  readonly architecture: 'amd64' | 'arm64'
  /** The content of each layer, the lowest first. */
  readonly layers: readonly (readonly TarEntry[])[]
}

export interface ImageSpec {
  /** With the registry's host and the tag. */
  readonly name: string
  /** One for each architecture. */
  readonly variants: readonly ImageVariant[]
  readonly config: ImageConfig
}

/** As in the OCI image specification. */
export interface ImageConfig {
  readonly Entrypoint: readonly string[]
  readonly Env: readonly string[]
  readonly User?: string
  readonly Labels?: Readonly<Record<string, string>>
}

interface Descriptor {
  readonly mediaType: string
  readonly digest: string
  readonly size: number
}

export interface ImageArchive {
  readonly archive: Buffer
  /** Of the index: equal content has an equal digest, on any machine with this version of Node. */
  readonly digest: string
}

const TYPES = 'application/vnd.oci.image'

export function imageArchive(spec: ImageSpec): ImageArchive {
  const blobs = new Map<string, Buffer>()
  const put = (content: Buffer, mediaType: string): Descriptor => {
    const digest = sha256(content)
    blobs.set(digest, content)
    return { mediaType, digest, size: content.length }
  }
  const manifests = spec.variants.map((variant) => {
    const manifest = put(json(manifestOf(spec, variant, put)), `${TYPES}.manifest.v1+json`)
    return { ...manifest, platform: { architecture: variant.architecture, os: 'linux' } }
  })
  const index = put(json(indexOf(manifests)), `${TYPES}.index.v1+json`)
  const tag = spec.name.slice(spec.name.lastIndexOf(':') + 1)
  const annotations = { 'io.containerd.image.name': spec.name, 'org.opencontainers.image.ref.name': tag }
  const files = [
    ...[...blobs].map(([digest, content]) => file(`blobs/sha256/${digest.slice('sha256:'.length)}`, content)),
    file('index.json', json(indexOf([{ ...index, annotations }]))),
    file('oci-layout', json({ imageLayoutVersion: '1.0.0' })),
  ]
  return { archive: tarOf(files), digest: index.digest }
}

function manifestOf(
  { config }: ImageSpec,
  { architecture, layers }: ImageVariant,
  put: (content: Buffer, mediaType: string) => Descriptor,
): object {
  const tars = layers.map(tarOf)
  const document = {
    architecture,
    os: 'linux',
    // Of no time: the same content is the same image.
    created: '1970-01-01T00:00:00Z',
    config,
    rootfs: { type: 'layers', diff_ids: tars.map(sha256) },
  }
  return {
    schemaVersion: 2,
    mediaType: `${TYPES}.manifest.v1+json`,
    config: put(json(document), `${TYPES}.config.v1+json`),
    layers: tars.map((tar) => put(compressed(tar), `${TYPES}.layer.v1.tar+gzip`)),
  }
}

/** Images share layers, and to compress Node takes seconds. */
function compressed(tar: Buffer): Buffer {
  const digest = sha256(tar)
  const found = compressedLayers.get(digest) ?? gzipSync(tar, { level: 6 })
  compressedLayers.set(digest, found)
  return found
}
const compressedLayers = new Map<string, Buffer>()

function indexOf(manifests: readonly object[]): object {
  return { schemaVersion: 2, mediaType: `${TYPES}.index.v1+json`, manifests }
}

function file(path: string, content: Buffer): TarEntry {
  return { path, mode: 0o644, content }
}

function json(value: unknown): Buffer {
  return Buffer.from(JSON.stringify(value))
}

function sha256(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}
