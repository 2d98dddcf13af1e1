/** Both images and the agent's folder, as files. */
import { createHash } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { agentFolder } from './agent-folder.ts'
import { baseLayer, packageLayer, USER } from './controller-root.ts'
import { debPackage } from './deb.ts'
import type { Architecture } from './debian-packages.ts'
import { coreutilsEntries, glibcEntries } from './glibc.ts'
import { type ImageSpec, imageArchive } from './oci-archive.ts'
import { PACKAGE_FOLDER } from './package-scripts.ts'
import { writeRpm } from './rpm.ts'
import { type TarEntry, tarOf } from './tar.ts'

export interface BuildOptions {
  readonly root: string
  /** The built package; its folder has the bundled agent, too. */
  readonly dist: string
  readonly version: string
  readonly architectures: readonly Architecture[]
  /** Registry and first part of the name. */
  readonly prefix: string
  /** Where the files go. */
  readonly out: string
}

export interface BuiltFile {
  readonly path: string
  /** Of an image its index, of another file its content. */
  readonly digest: string
}

const PATH = 'PATH=/usr/local/bin:/usr/sbin:/usr/bin:/bin'

export async function buildControllerImage(options: BuildOptions): Promise<BuiltFile> {
  const { root, dist, version, prefix } = options
  const variant = async (architecture: Architecture) => ({
    architecture,
    layers: [await baseLayer(root, architecture), packageLayer(root, { dist, architecture, version })],
  })
  return writeImage(options, {
    name: `${prefix}nodewave:${version}`,
    variants: await Promise.all(options.architectures.map(variant)),
    config: {
      User: `${USER}:${USER}`,
      Entrypoint: ['/usr/local/bin/node', '/app/bin/nodewave.js'],
      Env: [PATH, 'SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt'],
      Labels: labels(version),
    },
  })
}

/** With the folder that a host gets, and the two programs that bring it there. */
export async function buildAgentImage(options: BuildOptions): Promise<BuiltFile> {
  const { version, prefix } = options
  const variant = async (architecture: Architecture) => {
    const folder = below('agent', await folderOf(options, architecture))
    const isOfNode = ({ path }: TarEntry): boolean => path === 'agent/node' || path.startsWith('agent/lib/')
    const tools = [...(await glibcEntries(architecture)), ...(await coreutilsEntries(architecture))]
    // Node alone: nodes that have it bring only the rest of the next version.
    return { architecture, layers: [tools, folder.filter(isOfNode), folder.filter((entry) => !isOfNode(entry))] }
  }
  return writeImage(options, {
    name: `${prefix}nodewave-agent:${version}`,
    variants: await Promise.all(options.architectures.map(variant)),
    config: {
      Entrypoint: ['/agent/node', '--jitless', '/agent/nodewave-agent.mjs'],
      Env: [PATH],
      Labels: labels(version),
    },
  })
}

/** The folder of each architecture as a tarball, to be unpacked in /opt/nodewave, with its checksum beside it. */
export async function buildAgentTarballs(options: BuildOptions): Promise<BuiltFile[]> {
  const built: BuiltFile[] = []
  for (const architecture of options.architectures) {
    const name = `nodewave-agent-${options.version}-linux-${architecture}.tar.gz`
    const file = writeOut(options, name, gzipSync(tarOf(below(options.version, await folderOf(options, architecture)))))
    writeOut(options, `${name}.sha256`, Buffer.from(`${file.digest.slice('sha256:'.length)}  ${name}\n`))
    built.push(file)
  }
  return built
}

/** The same folder as Debian packages. */
export async function buildAgentDebs(options: BuildOptions): Promise<BuiltFile[]> {
  const { version } = options
  const built: BuiltFile[] = []
  for (const architecture of options.architectures) {
    const files = below(PACKAGE_FOLDER, await folderOf(options, architecture))
    built.push(writeOut(options, `nodewave-agent_${version}_${architecture}.deb`, debPackage({ version, architecture, files })))
  }
  return built
}

/** Of `uname -m`, which rpm goes by. */
const MACHINES: Readonly<Record<Architecture, string>> = { amd64: 'x86_64', arm64: 'aarch64' }

export interface RpmBuildOptions extends BuildOptions {
  readonly nfpm: string
  readonly signKey?: string | undefined
}

/** The same folder as packages of rpm. */
export async function buildAgentRpms(options: RpmBuildOptions): Promise<BuiltFile[]> {
  const { version, nfpm, signKey, out } = options
  const built: BuiltFile[] = []
  mkdirSync(out, { recursive: true })
  for (const architecture of options.architectures) {
    const path = join(out, `nodewave-agent-${version}-1.${MACHINES[architecture]}.rpm`)
    writeRpm(path, { version, architecture, files: below(PACKAGE_FOLDER, await folderOf(options, architecture)), nfpm, signKey })
    built.push({ path, digest: digestOf(readFileSync(path)) })
  }
  return built
}

function folderOf({ root, dist, version }: BuildOptions, architecture: Architecture): Promise<TarEntry[]> {
  return agentFolder({ root, architecture, version, bundle: join(dist, 'nodewave-agent.mjs') })
}

function below(place: string, entries: readonly TarEntry[]): TarEntry[] {
  return entries.map((entry) => ({ ...entry, path: `${place}/${entry.path}` }))
}

function labels(version: string): Record<string, string> {
  return { 'org.opencontainers.image.version': version, 'org.opencontainers.image.licenses': 'Apache-2.0' }
}

function writeImage(options: BuildOptions, spec: ImageSpec): BuiltFile {
  const { archive, digest } = imageArchive(spec)
  const name = spec.name.slice(spec.name.lastIndexOf('/') + 1).replace(':', '-')
  return { ...writeOut(options, `${name}.oci.tar`, archive), digest }
}

function writeOut({ out }: BuildOptions, name: string, content: Buffer): BuiltFile {
  mkdirSync(out, { recursive: true })
  const path = join(out, name)
  writeFileSync(path, content)
  return { path, digest: digestOf(content) }
}

function digestOf(content: Buffer): string {
  return `sha256:${createHash('sha256').update(content).digest('hex')}`
}
