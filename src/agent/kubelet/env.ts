import { readEnvironmentFile } from '../../protocol/environment-file.ts'
import { splitFlagString } from '../../protocol/flag-string.ts'
import { AgentError } from '../agent-error.ts'
import { KUBELET_CONFIG } from '../paths.ts'
import type { Resource } from '../resources/kind.ts'
import { kubeletEnvironment } from '../resources/kubelet-environment.ts'
import { configFileOf, configTarget } from './config-target.ts'
import { flagValue, healthzUrl, isSameFlags, joinFlags, runtimeEndpoint, withoutFlag } from './kubelet-flags.ts'
import { binaryResources, binaryTarget, installClaims } from './kubelet-install.ts'
import type { HostTexts, Layout, LayoutInput } from './layout.ts'
import { refuseShellWords } from './script-flags.ts'
import { sameVersion } from './versions.ts'

const OPTS = 'KUBELET_OPTS'
const VERSION = 'KUBELET_VERSION'

/**
 * The CoreOS layout: the service reads an environment file, and a wrapper fetches and runs the version named there. KUBELET_OPTS
 * and KUBELET_VERSION are ours, everything else in the file is not.
 */
export const envLayout: Layout = {
  name: 'env',

  managed: (input) => [
    ...installClaims(input),
    ...(setsVariables(input)
      ? [{ kind: 'kubelet-environment', key: input.facts.environmentFile, variables: [OPTS, VERSION] }]
      : []),
    ...(input.content.config === undefined ? [] : [{ kind: 'kubelet-config', key: configPath(input) }]),
  ],

  reads: (input, known) => [
    input.facts.environmentFile,
    configPath(input),
    configFileOf(optsIn(known.local, input)),
    configFileOf(optsIn(known.current, input)),
  ],

  target: (input, texts) => {
    const binary = binaryTarget(input)
    const environment = environmentTarget(input, texts)
    const args = splitFlagString(environment.opts)
    const current = optsIn(texts.current, input)
    const config = configTarget(input, texts, {
      path: configPath(input),
      args: { local: optsIn(texts.local, input), current, wanted: args },
    })
    return {
      resources: [...binaryResources(input, binary), ...config.resources, ...environment.resources],
      args: config.text === undefined ? args : withoutFlag(args, 'config'),
      ...(config.text === undefined ? {} : { config: { path: configPath(input), text: config.text } }),
      binary,
      fetchesVersion: binary === undefined && environment.version !== undefined,
      document: config.document,
      before: { document: config.before, args: current },
      healthz: healthzUrl(config.document, args),
      healthzBefore: healthzUrl(config.before, current),
      runtime: runtimeEndpoint(config.document, args),
    }
  },
}

function setsVariables({ content }: LayoutInput): boolean {
  return [content.flags, content.opts, content.version, content.config].some((value) => value !== undefined)
}

function environmentTarget(input: LayoutInput, { local }: HostTexts) {
  const path = input.facts.environmentFile
  const original = local.get(path)
  const before = readEnvironmentFile(original ?? new Uint8Array())
  refuseShellWords(joinFlags(input.content.flags, input.content.opts), input.facts.manager)
  const opts = asBefore(before.get(OPTS), { wanted: wantedOpts(input, before.get(OPTS)), isSame: isSameFlags })
  const version = asBefore(before.get(VERSION), { wanted: input.content.version ?? before.get(VERSION), isSame: sameVersion })
  const ours = { [OPTS]: wantedOpts(input, undefined), [VERSION]: input.content.version }
  const spec = { path, variables: { [OPTS]: opts, [VERSION]: version }, ours, original }
  const resources = setsVariables(input) ? [kubeletEnvironment.of(spec)] : []
  return { opts: opts ?? '', version, resources: resources as Resource[] }
}

/** What means the same stays as the machine has it: another order of flags is no reason to restart a kubelet. */
function asBefore(
  before: string | undefined,
  { wanted, isSame }: { readonly wanted: string | undefined; readonly isSame: (a: string, b: string) => boolean },
): string | undefined {
  return before !== undefined && wanted !== undefined && isSame(before, wanted) ? before : wanted
}

function optsIn(texts: ReadonlyMap<string, Uint8Array>, { facts }: LayoutInput): string[] {
  const bytes = texts.get(facts.environmentFile)
  return splitFlagString((bytes && readEnvironmentFile(bytes).get(OPTS)) ?? '')
}

/** What Git does not say stays as the machine had it. A configuration file is worth nothing unless a flag names it. */
function wantedOpts(input: LayoutInput, local: string | undefined): string | undefined {
  const { flags, opts, config } = input.content
  const said = flags === undefined && opts === undefined ? local : joinFlags(flags, opts)
  if (config === undefined || flagValue(splitFlagString(said ?? ''), 'config') === configPath(input)) return said
  return joinFlags(said, `--config=${configPath(input)}`)
}

/** Where Git's own flags say the configuration is, or the usual place. */
function configPath({ content }: LayoutInput): string {
  const path = flagValue(splitFlagString(joinFlags(content.flags, content.opts)), 'config') ?? KUBELET_CONFIG
  if (path.startsWith('/') && !path.split('/').includes('..')) return path
  if (content.config === undefined) return KUBELET_CONFIG
  throw new AgentError(`place the kubelet configuration: --config=${path} is no absolute path`, {
    kind: 'load',
    reason: 'MalformedFlags',
  })
}
