/** Small packages: one in two versions, each in a repository of its own, and one whose script waits as long as a file is there. */
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { putFile } from '../build/layers.ts'
import { run } from '../exec.ts'

/** Where the repositories are, below the server's root. The second one has only the newer versions. */
export const toolsRepositories = { stable: 'tools/stable/deb', next: 'tools/next/deb' } as const

/** As long as this file is there, dpkg does not get further than to configure the package. */
export const SLOW_WHILE = '/run/slow-tools-wait'

const releases = { stable: '1.0', next: '1.1' } as const

/** @param root the server's root */
export async function buildToolsDebs(root: string): Promise<void> {
  for (const [channel, path] of Object.entries(toolsRepositories)) {
    const target = join(root, path, 'amd64')
    await mkdir(target, { recursive: true })
    const version = releases[channel as keyof typeof releases]
    await build({ name: 'till-tools', version, target })
    await build({ name: 'slow-tools', version, target, postinst: waits })
  }
}

const waits = `#!/bin/sh
while [ -e ${SLOW_WHILE} ]; do sleep 0.1; done
`

interface Options {
  readonly name: string
  readonly version: string
  readonly target: string
  readonly postinst?: string
}

async function build({ name, version, target, postinst }: Options): Promise<void> {
  const tree = join(target, `.tree-${name}`)
  await rm(tree, { recursive: true, force: true })
  await putFile(tree, { path: `/usr/bin/${name}`, content: `#!/bin/sh\necho ${name} ${version}\n`, mode: 0o755 })
  await putFile(tree, { path: `/etc/${name}.conf`, content: `version = ${version}\n`, mode: 0o644 })
  await putFile(tree, { path: '/DEBIAN/conffiles', content: `/etc/${name}.conf\n` })
  await putFile(tree, { path: '/DEBIAN/control', content: control(name, version) })
  if (postinst !== undefined) await putFile(tree, { path: '/DEBIAN/postinst', content: postinst, mode: 0o755 })
  const archive = join(target, `${name}_${version}_amd64.deb`)
  await run('dpkg-deb', ['-Zzstd', '-z1', '--root-owner-group', '-b', tree, archive])
  await rm(tree, { recursive: true })
}

function control(name: string, version: string): string {
  return `Package: ${name}
Version: ${version}
Section: admin
Priority: optional
Architecture: amd64
Maintainer: nodewave e2e <e2e@nodewave.example>
Description: small program of the tests
`
}
