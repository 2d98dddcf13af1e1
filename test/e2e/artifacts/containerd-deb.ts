/** containerd as a package, in versions that differ in name only, and one whose program ends at once. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type LayerFile, putFile } from '../build/layers.ts'
import { run } from '../exec.ts'

export const containerdVersions = { first: '2.4.2-1', second: '2.4.2-2', broken: '2.4.2-3' } as const

/** Where the repository is, below the server's root. */
export const containerdRepository = 'containerd/deb'

/** @param target directory that the packages are written into */
export async function buildContainerdDebs({
  binary,
  target,
}: {
  readonly binary: string
  readonly target: string
}): Promise<void> {
  await mkdir(target, { recursive: true })
  const { first, second, broken } = containerdVersions
  for (const version of [first, second]) await build({ version, target, content: { file: binary } })
  await build({ version: broken, target, content: '#!/bin/sh\necho "containerd: panic: out of luck" >&2\nexit 1\n' })
}

interface Options {
  readonly version: string
  readonly target: string
  readonly content: LayerFile['content']
}

/** The unit is the node's own, and starts the program where that has it. */
async function build({ version, target, content }: Options): Promise<void> {
  const tree = join(target, `.tree-${version}`)
  await rm(tree, { recursive: true, force: true })
  await putFile(tree, { path: '/usr/local/bin/containerd', content, mode: 0o755 })
  await putFile(tree, { path: '/DEBIAN/control', content: control(version) })
  const archive = join(target, `containerd_${version}_amd64.deb`)
  await run('dpkg-deb', ['-Zzstd', '-z1', '--root-owner-group', '-b', tree, archive])
  await rm(tree, { recursive: true })
}

function control(version: string): string {
  return `Package: containerd
Version: ${version}
Section: admin
Priority: optional
Architecture: amd64
Maintainer: nodewave e2e <e2e@nodewave.example>
Description: container runtime
`
}
