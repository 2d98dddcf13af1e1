import type { DesiredConfig } from '../protocol/desired-config.ts'
import { contentDigest, type NodeContent } from '../protocol/digest.ts'
import { PAYLOAD_KEYS } from '../protocol/names.ts'
import { fillFields } from './fill-fields.ts'
import { filledProblems } from './filled-problems.ts'
import type { NodeFacts } from './node-facts.ts'
import { type Payload, sizeProblems } from './payload.ts'
import { flagString } from './prepare-flags.ts'
import { hostPayload, kubeletPayload, type Variant } from './prepare-variant.ts'
import { collecting, problemAt, type RenderProblem } from './render-problem.ts'
import { fillHost } from './templated-files.ts'
import { resolveReference, whyUnresolved } from './templates.ts'

/** What a node is to become, or why that cannot be said. Nodes with equal content share one object. */
export type RenderResult = RenderedNode | UnrenderedNode

export interface RenderedNode {
  readonly ok: true
  readonly pool: string
  readonly content: NodeContent
  readonly digest: string
  readonly payloads: readonly Payload[]
  /** As the annotation has it, but for what belongs to an assignment: REVISION, GRANT and ASSIGNED. */
  readonly desired: DesiredConfig
}

export interface UnrenderedNode {
  readonly ok: false
  readonly pool: string
  readonly problems: readonly RenderProblem[]
}

/** What the annotation carries of flags. */
const MAX_OPTS = 32_768

/** The values of the variant's references on this node, in their order; or what the node lacks. */
export function resolveReferences(variant: Variant, node: NodeFacts): ReadonlyMap<string, string> | RenderProblem[] {
  const resolved = new Map<string, string>()
  const problems: RenderProblem[] = []
  for (const [reference, origin] of variant.references) {
    const value = resolveReference(reference, node)
    if (value !== undefined) resolved.set(reference, value)
    else problems.push(problemAt(whyUnresolved(reference, node), origin))
  }
  return problems.length > 0 ? problems : resolved
}

export function instantiate(variant: Variant, resolved: ReadonlyMap<string, string>, namespace: string): RenderResult {
  const { pool, version, secret, templatedConfig, templatedHost } = variant
  const problems = [...variant.problems]
  const opts = collecting(problems, () => flagString(variant.ownFlags, resolved))
  const filled = templatedConfig && fillFields(templatedConfig, { resolved, version })
  problems.push(...filledProblems(variant, { fields: filled, resolved }))
  const own = filled && kubeletPayload(pool, variant.sharedFlags, filled)
  const kubelet = own ?? variant.kubelet
  const ownHost = templatedHost && hostPayload(pool, fillHost(templatedHost, resolved))
  const host = ownHost ?? variant.host
  problems.push(...sizeProblems(own), ...sizeProblems(ownHost), ...optsProblems(pool, opts))
  if (problems.length > 0) return { ok: false, pool, problems }

  const { [PAYLOAD_KEYS.flags]: flags, [PAYLOAD_KEYS.config]: config } = kubelet?.data ?? {}
  const content: NodeContent = {
    version,
    opts,
    flags,
    config,
    host: host.data[PAYLOAD_KEYS.host],
    secret: secret?.data[PAYLOAD_KEYS.secret],
  }
  const digest = contentDigest(content)
  const desired: DesiredConfig = {
    ...(version === undefined ? {} : { KUBELET_VERSION: version }),
    ...(kubelet === undefined ? {} : { KUBELET_CONFIG: kubelet.name }),
    ...(opts === undefined ? {} : { KUBELET_OPTS: opts }),
    HOST_CONFIG: host.name,
    ...(secret === undefined ? {} : { SECRET_CONFIG: secret.name }),
    NAMESPACE: namespace,
    DIGEST: digest,
    POOL: pool,
  }
  return {
    ok: true,
    pool,
    content,
    digest,
    payloads: [kubelet, host, secret].filter((payload) => payload !== undefined),
    desired,
  }
}

function optsProblems(pool: string, opts = ''): RenderProblem[] {
  if (opts.length <= MAX_OPTS) return []
  const message = `flags of single nodes in pool "${pool}" come to ${opts.length} characters, and an annotation carries ${MAX_OPTS}; move those without templates into a FlagSet`
  return [{ message, where: [] }]
}
