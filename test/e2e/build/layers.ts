/** Read-only layers of a node's root, made once and shared: the container runtime, Node.js, and one for each kubelet version. */
import { chmod, copyFile, link, mkdir, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { FindBinary } from './binaries.ts'
import { cacheRoot, digestOf, once } from './cache.ts'
import { versions } from './versions.ts'

export interface LayerFile {
  /** Absolute path in the node. */
  readonly path: string
  readonly content: string | { readonly file: string }
  readonly mode?: number
}

/** A directory that holds exactly these files; named after them, so that a change of any makes another one. */
export async function layer(name: string, files: readonly LayerFile[]): Promise<string> {
  const dir = join(cacheRoot, 'layers', `${name}-${digestOf(JSON.stringify(files))}`)
  await once(dir, async () => {
    const partial = `${dir}.partial`
    await rm(partial, { recursive: true, force: true })
    for (const file of files) await putFile(partial, file)
    await rename(partial, dir)
  })
  return dir
}

/** Write one file below `root`. */
export async function putFile(root: string, { path, content, mode }: LayerFile): Promise<void> {
  const target = join(root, path)
  await mkdir(dirname(target), { recursive: true })
  if (typeof content === 'string') await writeFile(target, content)
  else await linkOrCopy(content.file, target)
  if (mode !== undefined) await chmod(target, mode)
}

/** Binaries of 80 MB are better shared than copied; another file system cannot share them. */
async function linkOrCopy(from: string, to: string): Promise<void> {
  await link(from, to).catch(() => copyFile(from, to))
}

export function runtimeLayer(find: FindBinary): Promise<string> {
  const programs = ['containerd', 'containerd-shim-runc-v2', 'ctr', 'runc']
  const plugins = ['bridge', 'loopback', 'host-local', 'portmap']
  return layer('runtime', [
    ...programs.map((name) => ({ path: `/usr/local/bin/${name}`, content: { file: find(name) } })),
    ...plugins.map((name) => ({ path: `/opt/cni/bin/${name}`, content: { file: find(name) } })),
  ])
}

/** The Node.js that runs us, where the agent's documentation puts it: 100 MB that would else be copied into every node. */
export function nodejsLayer(): Promise<string> {
  const places = ['/opt/nodewave/node', '/opt/nodewave/current/node']
  const files = places.map((path) => ({ path, content: { file: process.execPath }, mode: 0o755 }))
  return layer(`nodejs-${process.version}`, files)
}

/** The kubelet where a package puts it, or by version below /opt where the `env` layout looks for it. */
export function kubeletLayer(find: FindBinary, version: string, path: string): Promise<string> {
  return layer(`kubelet-${version}`, [{ path, content: { file: find('kubelet', version) } }])
}

export const kubeletVersions = [versions.olderKubelet, versions.kubernetes] as const
