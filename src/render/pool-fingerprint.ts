import { digestOf, type Json } from '../protocol/digest.ts'
import { excludeEachOther } from '../protocol/node-selector.ts'
import type { Doc, FleetModel } from '../repo/model.ts'
import type { Selector } from '../repo/schema/common.ts'
import type { HostFileSpec } from '../repo/schema/host-profile.ts'
import type { NodeOverrideSpec } from '../repo/schema/node-override.ts'
import { prepareVariant } from './prepare-variant.ts'
import { hostFile } from './render-host.ts'
import { secretHash } from './render-secrets.ts'

/**
 * Digest of all that nodes of the pool are rendered from, but for what is the nodes' own. The policy of the rollout is not in it: another
 * wave size is no new revision. Overrides by node name are in it for every pool, since only a node's labels say whose it is.
 * @throws {RangeError} when the fleet has no such pool.
 */
export function poolFingerprint(model: FleetModel, name: string): string {
  const pool = model.pools.get(name)
  if (pool === undefined) throw new RangeError(`fingerprint pool "${name}": the fleet has no such pool`)
  const variant = prepareVariant(model, { pool, overrides: [] })
  const { version, sharedFlags, ownFlags, templatedConfig, kubelet, host, templatedHost, secret, problems } = variant
  const overrides = model.overrides.filter((override) => mayConcern(pool.spec.nodeSelector, override))
  return digestOf({
    pool: name,
    nodeSelector: pool.spec.nodeSelector,
    version,
    sharedFlags,
    ownFlags: Object.fromEntries([...ownFlags].map(([flag, { value }]) => [flag, value])),
    templatedConfig,
    kubelet: kubelet?.digest,
    host: host.digest,
    templatedFiles: templatedHost && [...templatedHost.paths].sort(),
    secret: secret?.digest,
    problems: problems.map(({ message }) => message),
    overrides: overrides.map((override) => overrideText(model, override)),
    // The flags above are merged already; it changes what overrides make of them.
    mapFlags: overrides.some(({ spec }) => spec.flags) && model.fleet.spec.mapFlags === 'Merge' ? 'Merge' : undefined,
  })
}

function mayConcern(pool: Selector, { spec }: Doc<NodeOverrideSpec>): boolean {
  return spec.nodeSelector === undefined || !excludeEachOther(pool, spec.nodeSelector)
}

function fileText(model: FleetModel, file: HostFileSpec): Json {
  const { path, contentFrom: source, template } = file
  const hash = source && secretHash(model, { path, source })
  return { ...hostFile(model, file), ...(hash && { hash }), ...(template && { template }) }
}

function overrideText(model: FleetModel, { name, spec }: Doc<NodeOverrideSpec>): Json {
  const { files = [], ...rest } = spec
  return { name, ...rest, files: files.map((file) => fileText(model, file)) }
}
