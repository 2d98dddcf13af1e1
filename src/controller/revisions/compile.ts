import type { RepoSnapshot } from '../../protocol/repo-snapshot.ts'
import { checkModel } from '../../render/check-model.ts'
import { createRenderer, type Renderer } from '../../render/create-renderer.ts'
import type { RenderResult } from '../../render/instantiate.ts'
import type { NodeFacts } from '../../render/node-facts.ts'
import { poolFingerprint } from '../../render/pool-fingerprint.ts'
import { capacityReaders } from '../../render/reads-capacity.ts'
import { nodeObjectOf } from '../../render/render-host.ts'
import type { RenderProblem } from '../../render/render-problem.ts'
import { createLoader, type LoadFleet, type LoadResult } from '../../repo/load-fleet.ts'
import type { Doc, FleetModel } from '../../repo/model.ts'
import { policyPlace } from '../../repo/policy-place.ts'
import { poolDependencies } from '../../repo/pool-dependencies.ts'
import { formatLocation, type Problem } from '../../repo/problem.ts'
import { filesThatCount } from '../../repo/repo-files.ts'
import { DEFAULT_HISTORY_LIMIT, rolloutSettings } from '../../repo/rollout-settings.ts'
import type { FleetSpec } from '../../repo/schema/fleet.ts'
import type { NodePoolSpec } from '../../repo/schema/node-pool.ts'
import { secretUses } from '../../repo/secret-ref.ts'
import type { FleetPolicy } from '../../rollout/decide-fleet.ts'
import type { Compile, CompiledFleet, CompiledPool, CompileNow, Ownership, Rendered } from '../fleet/compiled-fleet.ts'
import { gatePolicy } from '../gates/gate-policy.ts'
import { mirrorSpec } from '../node-pools/mirror-spec.ts'
import type { AgeKeys } from '../secrets/age-keys.ts'
import { openSecrets } from '../secrets/open-secrets.ts'
import { subjectOf } from './revision-store.ts'

export interface CompilerOptions {
  readonly namespace: string
  /** Which of the clusters of the repository; absent: the repository is for one. */
  readonly cluster?: string | undefined
  /** One that has read these files already. Default: one of its own. */
  readonly load?: LoadFleet | undefined
}

/**
 * Loads commits and makes them ready to render from; files that did not change since the last one are not parsed again.
 * Without a key secrets are known by their encrypted form alone: for a simulation, never to be handed over.
 */
export function createCompiler(options: CompilerOptions): CompileNow {
  const { namespace } = options
  const load = loaderFor(options)
  return (snapshot) => {
    const { model, parts } = loadCommit(load, snapshot)
    return {
      ...aboutCommit(snapshot),
      ...parts,
      ...(model && orFailing(() => compiled(model, { snapshot, namespace }), refusedFor)),
    }
  }
}

/**
 * The same with the secrets of each commit open. What it takes from Secrets of the cluster has to be in the snapshot.
 * @param keys absent: a commit that needs them is refused
 */
export function createOpeningCompiler({ keys, ...options }: CompilerOptions & { readonly keys?: AgeKeys }): Compile {
  const { namespace } = options
  const load = loaderFor(options)
  return async (snapshot) => {
    const { model, parts } = loadCommit(load, snapshot)
    if (!model) return { ...aboutCommit(snapshot), ...parts }
    const { secrets, problems } = await openSecrets(model, { keys, taken: snapshot.secrets })
    const about = { ...aboutCommit(snapshot), ...withRefs(model) }
    if (problems.length > 0) return { ...about, ...refused(problems) }
    const open = { ...model, secrets }
    return { ...about, ...orFailing(() => compiled(open, { snapshot, namespace }), refusedFor) }
  }
}

function withRefs(model: FleetModel): Pick<CompiledFleet, 'secretRefs'> {
  const secretRefs = secretUses(model).flatMap(({ source: { secretRef }, where }) => (secretRef ? [{ ...secretRef, where }] : []))
  return secretRefs.length === 0 ? {} : { secretRefs }
}

type LoadCommit = (snapshot: RepoSnapshot) => LoadResult

function loaderFor({ cluster, load = createLoader() }: CompilerOptions): LoadCommit {
  return ({ files, accepted }) => load(files, { cluster, accepted })
}

/** @returns without a model the parts of a commit that is refused */
function loadCommit(load: LoadCommit, snapshot: RepoSnapshot): { readonly model?: FleetModel; readonly parts: FleetParts } {
  return orFailing(
    () => {
      const { model, problems } = load(snapshot)
      const errors = problems.filter(({ severity }) => severity === 'error').map(problemLine)
      return { parts: refused(errors), ...(model && { model }) }
    },
    (message) => ({ parts: refusedFor(message) }),
  )
}

function compiled(
  model: FleetModel,
  { snapshot, namespace }: { readonly snapshot: RepoSnapshot; readonly namespace: string },
): FleetParts {
  // As `nodewave validate` does: what no node can be rendered from would be accepted, and bring no node anywhere.
  const unrenderable = checkModel(model).map(renderProblemLine)
  if (unrenderable.length > 0) return refused(unrenderable)
  return { ...ready(model, namespace), files: filesThatCount(snapshot.files, model) }
}

/** A mistake of ours that one commit or one node brings to light must not stop what goes on with the others. */
function orFailing<T>(work: () => T, failing: (message: string) => T): T {
  try {
    return work()
  } catch (error) {
    return failing(`internal failure: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`)
  }
}

function refusedFor(problem: string): FleetParts {
  return refused([problem])
}

function aboutCommit({ commit, author, message }: RepoSnapshot): Pick<CompiledFleet, 'commit' | 'author' | 'subject'> {
  return { commit, author: author.name, subject: subjectOf(message) }
}

type FleetParts = Omit<CompiledFleet, 'commit' | 'author' | 'subject'>

function refused(problems: readonly string[]): FleetParts {
  const nothing = { pools: new Map(), files: new Map(), policy: {}, blastRadius: {}, historyLimit: 0 }
  return { problems, ...nothing, ownerOf: () => ({ kind: 'unowned' }) }
}

function ready(model: FleetModel, namespace: string): Omit<FleetParts, 'files'> {
  const renderer = createRenderer(model, { namespace })
  const readsCapacity = capacityReaders(model)
  const pools = [...model.pools.values()].map((doc) => compiledPool(doc, { model, renderer, readsCapacity }))
  const owners = new WeakMap<NodeFacts, Ownership>()
  return {
    problems: [],
    pools: new Map(pools.map((pool) => [pool.name, pool])),
    policy: fleetPolicy(model.fleet.spec),
    ...byHandOf(model),
    blastRadius: model.fleet.spec.blastRadius ?? {},
    historyLimit: model.fleet.spec.historyLimit ?? DEFAULT_HISTORY_LIMIT,
    placeOf: (field, pool) => policyPlace(model, field, pool),
    ownerOf(facts) {
      const known = owners.get(facts)
      if (known) return known
      const owner = ownerOf(renderer, facts)
      owners.set(facts, owner)
      return owner
    },
  }
}

function byHandOf({ fleet }: FleetModel): Pick<CompiledFleet, 'byHand'> {
  return fleet.spec.byHand === 'Allow' ? { byHand: 'Allow' } : {}
}

function fleetPolicy({ maxUnavailable, maxFailures }: FleetSpec): FleetPolicy {
  return { ...(maxUnavailable && { maxUnavailable }), ...(maxFailures && { maxFailures }) }
}

function ownerOf(renderer: Renderer, facts: NodeFacts): Ownership {
  const owner = renderer.poolOf(facts)
  return owner.kind === 'contested' ? { ...owner, message: renderProblemLine(owner.problem) } : owner
}

/** A pool has a field of its own, or that of the Fleet; what neither has is a default. */
function placeOf(field: 'maxUnavailable' | 'waves', pool: Doc<NodePoolSpec>, { fleet }: FleetModel): string {
  const owner = [pool, fleet].find(({ spec }) => spec.rollout?.[field] !== undefined)
  if (owner === undefined) return 'by default'
  const { file, line } = owner.source.where(['rollout', field])
  return `${file}:${line}`
}

interface Compiling {
  readonly model: FleetModel
  readonly renderer: Renderer
  readonly readsCapacity: ReturnType<typeof capacityReaders>
}

function compiledPool(pool: Doc<NodePoolSpec>, { model, renderer, readsCapacity }: Compiling): CompiledPool {
  const { name, spec } = pool
  const settings = rolloutSettings(model.fleet.spec, spec)
  const waves = settings.waves.map(({ nodes, ...wave }) => ({ ...wave, nodes: 'matchLabels' in nodes ? nodes : { ...nodes } }))
  return {
    name,
    spec: mirrorSpec(spec),
    fingerprint: poolFingerprint(model, name),
    ...(readsCapacity(pool) && { readsCapacity: true }),
    policy: {
      ...{ ...settings, waves, gates: settings.gates.map(gatePolicy), ...poolDependencies(spec) },
      ...byHandOf(model),
    },
    disruption: settings.disruption,
    ...(spec.node && { nodeObject: nodeObjectOf(model, pool) }),
    places: { maxUnavailable: placeOf('maxUnavailable', pool, model), waves: placeOf('waves', pool, model) },
    render: (facts) =>
      orFailing(
        () => renderedAs(renderer.render(name, facts)),
        (message) => ({ kind: 'problem', message: message.slice(0, MAX_PROBLEM) }),
      ),
  }
}

/** Characters; the status of a pool repeats the problems of many nodes. */
const MAX_PROBLEM = 2000

/** Equal nodes get the same result object, so its other form is made once as well. */
const forms = new WeakMap<RenderResult, Rendered>()

function renderedAs(result: RenderResult): Rendered {
  const form = forms.get(result) ?? formOf(result)
  forms.set(result, form)
  return form
}

function formOf(result: RenderResult): Rendered {
  if (!result.ok) return { kind: 'problem', message: result.problems.map(renderProblemLine).join('\n').slice(0, MAX_PROBLEM) }
  const { digest, content, desired, payloads } = result
  return {
    kind: 'config',
    digest,
    content,
    desired,
    payloads,
    ...(content.version !== undefined && { version: content.version }),
  }
}

function problemLine({ at, message, remedy }: Problem): string {
  return `${formatLocation(at)}: ${message}${remedy === undefined ? '' : `; ${remedy}`}`
}

function renderProblemLine({ message, where }: RenderProblem): string {
  const places = where.map(formatLocation).join(', ')
  return places === '' ? message : `${places}: ${message}`
}
