/** Our images, built as `npm run image` does it, in the containerd of nodes. */
import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { buildPackage } from '../../../scripts/build-package.ts'
import {
  type BuildOptions,
  type BuiltFile,
  buildAgentDebs,
  buildAgentImage,
  buildControllerImage,
} from '../../../scripts/image/images.ts'
import { VERSION } from '../../../src/protocol/version.ts'
import { cacheRoot } from '../build/cache.ts'
import { putFile } from '../build/layers.ts'
import type { Cluster } from '../cluster/cluster.ts'
import type { Node } from '../cluster/node.ts'
import { checkout } from './checkout.ts'

/** What every build of this run begins with. */
export async function imageOptions(cluster: Cluster): Promise<BuildOptions> {
  process.env.NODEWAVE_IMAGE_CACHE ??= join(cacheRoot, 'image')
  const [dist, out] = ['dist', 'images'].map((name) => join(cluster.slot.dir, name)) as [string, string]
  await mkdir(dist, { recursive: true })
  await buildPackage(checkout, dist)
  return { root: checkout, dist, out, version: VERSION, architectures: ['amd64'], prefix: 'docker.io/library/' }
}

export async function controllerImage(cluster: Cluster): Promise<BuiltFile> {
  return buildControllerImage(await imageOptions(cluster))
}

export async function agentDeb(cluster: Cluster): Promise<BuiltFile> {
  const [built] = await buildAgentDebs(await imageOptions(cluster))
  if (built === undefined) throw new Error('build the package of the agent: there is none')
  return built
}

export interface AgentVersion {
  readonly version: string
  /** Program text that comes before the agent's own. */
  readonly begins?: string
}

/** Images of several versions of this agent. */
export async function agentImages(
  cluster: Cluster,
  agents: readonly AgentVersion[],
  more: Pick<BuildOptions, 'prefix'> | object = {},
): Promise<BuiltFile[]> {
  const options = { ...(await imageOptions(cluster)), ...more }
  const bundle = await readFile(join(options.dist, 'nodewave-agent.mjs'), 'utf8')
  const built: BuiltFile[] = []
  for (const { version, begins = '' } of agents) {
    const dist = join(cluster.slot.dir, `dist-${version}`)
    await mkdir(dist, { recursive: true })
    await writeFile(join(dist, 'nodewave-agent.mjs'), begins + bundle.replaceAll(`"${VERSION}"`, `"${version}"`))
    built.push(await buildAgentImage({ ...options, dist, version }))
  }
  return built
}

export async function importImage(node: Node, archive: string): Promise<void> {
  const path = `/${basename(archive)}`
  await putFile(node.shared.outside, { path, content: { file: archive } })
  await node.exec(['ctr', '-n', 'k8s.io', 'images', 'import', join(node.shared.inside, path)])
  await node.exec(['rm', join(node.shared.inside, path)])
}
