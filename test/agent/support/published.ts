import { sha256Of } from '../../../src/agent/sha256.ts'
import type { NodeContent } from '../../../src/protocol/digest.ts'
import type { RepoFile } from '../../../src/protocol/repo-snapshot.ts'
import { createRenderer } from '../../../src/render/create-renderer.ts'
import type { NodeFacts } from '../../../src/render/node-facts.ts'
import { loadFleet } from '../../../src/repo/load-fleet.ts'
import { kubeletBinary } from '../../../src/sim/host/kubelet-launch.ts'
import type { Machine } from './machine.ts'
import { makeTarGz } from './make-tar.ts'

const program = (path: string) => makeTarGz([{ path, content: path, mode: 0o755 }])

/** What publishers have, by a part of its address. */
const PUBLISHED = {
  'containerd-': program('bin/containerd'),
  'cni-plugins-': program('bridge'),
  'crictl-': program('crictl'),
  'runc.': Buffer.from('runc'),
  '/kubelet': kubeletBinary('1.35.4'),
}

function publishedAt(url: string): Uint8Array {
  const [, bytes] = Object.entries(PUBLISHED).find(([part]) => url.includes(part)) ?? []
  if (bytes === undefined) throw new Error(`nobody publishes ${url}`)
  return bytes
}

/** What a repository makes of a node once somebody has filled in its checksums. What it downloads is there for the machine. */
export function publishedContent(
  machine: Machine,
  { files, pool, node }: { readonly files: ReadonlyMap<string, RepoFile>; readonly pool: string; readonly node: NodeFacts },
): NodeContent {
  const { model } = loadFleet(files)
  if (model === undefined) throw new Error('the repository is invalid')
  const rendered = createRenderer(model).render(pool, node)
  if (!rendered.ok) throw new Error(JSON.stringify(rendered.problems))
  const { content } = rendered
  const host = (content.host ?? '').replaceAll(/"(https:[^"]*)"/g, (_, url: string) => `"${url.replaceAll('{{arch}}', 'amd64')}"`)
  const urls = [...host.matchAll(/"(https:\/\/(?:github\.com|dl\.k8s\.io)[^"]*)"/g)].map(([, url = '']) => url)
  for (const url of urls) machine.artifacts.set(url, publishedAt(url))
  return { ...content, host: JSON.stringify(withChecksums(JSON.parse(host))) }
}

/** Each object with a URL gets the checksum of what is there. */
function withChecksums(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withChecksums)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, member]) => [key, withChecksums(member)])
  const { url, sha256, ...rest } = Object.fromEntries(members)
  if (typeof url !== 'string' || sha256 === undefined) return { ...rest, ...(url && { url }), ...(sha256 && { sha256 }) }
  return { ...rest, url, sha256: typeof sha256 === 'string' ? sha256Of(publishedAt(url)) : { amd64: sha256Of(publishedAt(url)) } }
}
