import { type Draft, errorAt, type Loaded } from '../draft.ts'
import { formatLocation, type Problem } from '../problem.ts'
import type { KubeletReleaseSpec } from '../schema/kubelet-release.ts'
import type { NodePoolSpec } from '../schema/node-pool.ts'
import type { Path } from '../source.ts'

const PLACEHOLDER = /\{\{([^{}]*)\}\}/g

/** A version must be obtainable, and what is downloaded must be known by its checksum. */
export function checkReleases({ documents }: Draft): Problem[] {
  return [
    ...[...documents.NodePool.values()].flatMap((pool) => checkPool(pool, documents.KubeletRelease)),
    ...[...documents.KubeletRelease.values()].flatMap(checkUrl),
  ]
}

function checkPool(pool: Loaded<NodePoolSpec>, releases: ReadonlyMap<string, Loaded<KubeletReleaseSpec>>): Problem[] {
  const { version, release: name, layout = 'kubeadm' } = pool.spec.kubelet ?? {}
  if (name !== undefined && version === undefined)
    return [
      errorAt(pool, ['kubelet', 'release'], {
        reason: 'MissingField',
        message: 'a release needs a version to obtain',
        remedy: 'set kubelet.version',
      }),
    ]
  // In the env layout the host's own wrapper obtains what KUBELET_VERSION says.
  if (name === undefined && version !== undefined && layout !== 'env') {
    const message = `no source for kubelet ${version}`
    return [
      errorAt(pool, ['kubelet', 'version'], {
        reason: 'MissingField',
        message,
        remedy: 'set kubelet.release, or remove the version if something else installs it',
      }),
    ]
  }
  const release = releases.get(name ?? '')
  return release && version !== undefined ? checkChecksum(pool, version, release) : []
}

function checkChecksum(pool: Loaded<NodePoolSpec>, version: string, release: Loaded<KubeletReleaseSpec>): Problem[] {
  const checksums = release.spec.binary?.sha256
  if (!checksums || Object.keys(checksums[version] ?? {}).length > 0) return []
  const where = formatLocation(release.source.where(['binary', 'sha256']))
  const message = `release "${release.name}" has no checksum for kubelet ${version}`
  return [
    errorAt(pool, ['kubelet', 'version'], {
      reason: 'MissingChecksum',
      message,
      remedy: `add "${version}" with its sha256 by architecture at ${where}`,
    }),
  ]
}

function checkUrl(release: Loaded<KubeletReleaseSpec>): Problem[] {
  const { binary } = release.spec
  return [
    ...checkPlaceholders(release, { text: binary?.url, path: ['binary', 'url'], known: ['version', 'arch'] }),
    ...(['apt', 'dnf', 'zypper'] as const).flatMap((manager) =>
      checkPlaceholders(release, { text: release.spec[manager]?.url, path: [manager, 'url'], known: ['version', 'minor'] }),
    ),
  ]
}

function checkPlaceholders(
  release: Loaded<KubeletReleaseSpec>,
  { text = '', path, known }: { readonly text: string | undefined; readonly path: Path; readonly known: readonly string[] },
): Problem[] {
  const unknown = [...text.matchAll(PLACEHOLDER)].find(([, name = '']) => !known.includes(name.trim()))
  if (!unknown) return []
  const message = `"${unknown[0]}" cannot be filled in: expected ${known.map((name) => `{{${name}}}`).join(' or ')}`
  return [errorAt(release, path, { reason: 'InvalidValue', message })]
}
