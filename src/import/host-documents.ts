import { commonHost } from './common-host.ts'
import type { PoolDescription } from './describe-pool.ts'
import { isEmpty, without } from './factor.ts'
import { SHARED_NAME } from './group-nodes.ts'
import type { HostContent } from './subject.ts'
import { commentText, remarkLines, repoDocument } from './yaml-document.ts'

/** What is longer becomes a file of the repository. */
const LONGEST_INLINE = 12

type Pool = Pick<PoolDescription, 'name' | 'host' | 'remarks'>

/** What all pools have; of one alone, nothing, since its own profile has it. */
export function sharedHost(pools: readonly Pick<Pool, 'host'>[]): HostContent {
  return commonHost(pools.length > 1 ? pools.map(({ host }) => host) : [])
}

/** HostProfiles of the pools, the one that they share, and the files of the repository that these name. */
export function hostFiles(pools: readonly Pool[], shared: HostContent): Record<string, string> {
  const own = pools.map(({ name, host, remarks }) => profileFiles(name, withoutShared(host, shared), remarks))
  return Object.assign({}, profileFiles(SHARED_NAME, shared, []), ...own)
}

export function withoutShared(host: HostContent, shared: HostContent): HostContent {
  return {
    files: without(host.files, shared.files),
    units: without(host.units, shared.units),
    packages: without(host.packages, shared.packages),
    time: without(host.time, shared.time),
    settings: without(host.settings, shared.settings),
  }
}

function profileFiles(
  name: string,
  { files, units, packages, time, settings }: HostContent,
  remarks: Pool['remarks'],
): Record<string, string> {
  const comments = remarkLines(remarks.filter(({ about }) => about === 'host'))
  const isNothing = [files, units, packages, time, settings].every(isEmpty)
  if (isNothing) return comments.length === 0 ? {} : { [`hosts/${name}.yaml`]: commentText(comments) }
  const attached = Object.entries(files).filter(([, { content }]) => content.split('\n').length > LONGEST_INLINE)
  const placeOf = (path: string): string => `hosts/files/${name}${path}`
  const spec = {
    ...section('files', files, (path, { content, ...more }) => ({
      path,
      ...(attached.some(([each]) => each === path) ? { from: placeOf(path) } : { content }),
      ...more,
    })),
    ...section('units', units, (unit, parts) => ({ name: unit, ...parts })),
    ...section('packages', packages, (each, { version }) => ({ name: each, ...(version === undefined ? {} : { version }) })),
    ...(isEmpty(time) ? {} : { time }),
    ...settings,
  }
  return {
    [`hosts/${name}.yaml`]: repoDocument('HostProfile', spec, { name, comments }),
    ...Object.fromEntries(attached.map(([path, { content }]) => [placeOf(path), content])),
  }
}

function section<T>(
  name: string,
  parts: Readonly<Record<string, T>>,
  item: (key: string, part: T) => object,
): Record<string, object[]> {
  const items = Object.entries(parts).map(([key, part]) => item(key, part))
  return items.length === 0 ? {} : { [name]: items }
}
