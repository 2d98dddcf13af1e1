import { parse } from 'yaml'

/** How a kubelet of some version is to be started. */
export interface KubeletLaunch {
  /** `v1.36.3` */
  readonly version: string
  readonly args: readonly string[]
  /** Text of the configuration file; undefined when it is not there. Null: none is named. */
  readonly config: string | undefined | null
  /** Texts of the files behind `--config-dir`, in their order. */
  readonly dropIns?: readonly string[]
}

export type LaunchVerdict =
  | { readonly ok: true; readonly warnings: readonly string[]; readonly runtimeEndpoint: string }
  | { readonly ok: false; readonly exit: number; readonly message: string }

/** Says which flags a kubelet version has. */
export type KnownFlags = (version: string) => ReadonlySet<string>

export const RUNTIME_ENDPOINT = 'unix:///run/containerd/containerd.sock'

const FLAGS = `address anonymous-auth authentication-token-webhook authorization-mode bootstrap-kubeconfig cert-dir cgroup-driver
cgroup-root client-ca-file cloud-provider cluster-dns cluster-domain config config-dir container-runtime-endpoint cpu-manager-policy
eviction-hard eviction-soft fail-cgroupv1 fail-swap-on feature-gates healthz-bind-address healthz-port hostname-override image-credential-provider-bin-dir
image-credential-provider-config image-gc-high-threshold image-gc-low-threshold kube-api-burst kube-api-qps kube-reserved kubeconfig
lock-file log-file-max-size max-pods node-ip node-labels node-status-update-frequency pod-cidr pod-manifest-path pods-per-core
protect-kernel-defaults provider-id read-only-port register-node register-with-taints registry-burst registry-qps resolv-conf
root-dir rotate-certificates rotate-server-certificates runtime-cgroups seccomp-default serialize-image-pulls
system-reserved tls-cert-file tls-cipher-suites tls-min-version tls-private-key-file topology-manager-policy v vmodule volume-plugin-dir`
const COMMON_FLAGS: ReadonlySet<string> = new Set(FLAGS.split(/\s+/))

/** The usual flags; `--pod-infra-container-image` was dropped in 1.35. */
export const usualFlags: KnownFlags = (version) =>
  minorOf(version) < 35 ? new Set([...COMMON_FLAGS, 'pod-infra-container-image']) : COMMON_FLAGS

/**
 * What a kubelet says of its flags and configuration, in the order and in the words of a real one; up to the moment at which
 * it would connect to the container runtime.
 */
export function judgeLaunch(launch: KubeletLaunch, knownFlags: KnownFlags = usualFlags): LaunchVerdict {
  const flagProblem = judgeFlags(launch, knownFlags(launch.version))
  if (flagProblem !== undefined) return refuse(`failed to parse kubelet flag: ${flagProblem}`)
  if (launch.config === undefined)
    return refuse('failed to load kubelet config file, error: open config.yaml: no such file or directory')
  const document = launch.config === null ? {} : readDocument(launch.config)
  if (typeof document === 'string') return refuse(`failed to load kubelet config file, error: ${document}`)
  return judgeDocument(document, launch.args)
}

function judgeFlags({ args }: KubeletLaunch, known: ReadonlySet<string>): string | undefined {
  for (const arg of args) {
    const [, name = '', value] = /^--([^=]*)(?:=(.*))?$/.exec(arg) ?? []
    if (!arg.startsWith('--')) return `unknown command: ${arg}`
    if (!known.has(name)) return `unknown flag: --${name}`
    if (['max-pods', 'v', 'healthz-port'].includes(name) && !/^-?\d+$/.test(value ?? ''))
      return `invalid argument "${value ?? ''}" for "--${name}" flag: strconv.ParseInt: parsing "${value ?? ''}": invalid syntax`
  }
  return undefined
}

function readDocument(text: string): Record<string, unknown> | string {
  try {
    const value = parse(text) ?? {}
    return typeof value === 'object' && !Array.isArray(value) ? value : `expected a mapping, got "${text.slice(0, 40)}"`
  } catch (error) {
    return (error as Error).message.split('\n')[0] ?? ''
  }
}

const NUMBERS = ['maxPods', 'podsPerCore', 'registryPullQPS', 'healthzPort', 'kubeAPIQPS', 'imageGCHighThresholdPercent']
const DURATIONS = ['nodeStatusUpdateFrequency', 'syncFrequency', 'fileCheckFrequency', 'shutdownGracePeriod', 'imageMinimumGCAge']
const BOOLEANS = ['failSwapOn', 'protectKernelDefaults', 'rotateCertificates', 'seccompDefault', 'serializeImagePulls']
const OTHERS = `apiVersion kind authentication authorization cgroupDriver clusterDNS clusterDomain containerRuntimeEndpoint
containerLogMaxSize containerLogMaxFiles cpuManagerPolicy evictionHard evictionSoft featureGates healthzBindAddress
imageGCLowThresholdPercent kubeReserved logging memorySwap nodeLeaseDurationSeconds podPidsLimit readOnlyPort resolvConf
memoryManagerPolicy reservedMemory reservedSystemCPUs serverTLSBootstrap shutdownGracePeriodCriticalPods staticPodPath
systemReserved tlsMinVersion topologyManagerPolicy`.split(/\s+/)
const GATES = ['NodeSwap', 'KubeletInUserNamespace', 'InPlacePodVerticalScaling', 'CPUManagerPolicyOptions', 'MemoryQoS']

function judgeDocument(document: Record<string, unknown>, args: readonly string[]): LaunchVerdict {
  const decoding = judgeTypes(document)
  if (decoding !== undefined) return refuse(`failed to load kubelet config file, error: failed to decode: ${decoding}`)
  const gate = Object.keys((document.featureGates as object | undefined) ?? {}).find((name) => !GATES.includes(name))
  if (gate !== undefined) return { ok: false, exit: 2, message: `panic: unrecognized feature gate: ${gate}` }
  const maxPods = document.maxPods
  if (typeof maxPods === 'number' && maxPods < 0)
    return refuse(
      `failed to validate kubelet configuration, error: invalid configuration: maxPods (--max-pods) ${maxPods} must not be a negative number`,
    )
  const known = [...NUMBERS, ...DURATIONS, ...BOOLEANS, ...OTHERS]
  const unknown = Object.keys(document).filter((field) => !known.includes(field))
  return {
    ok: true,
    warnings: unknown.map((field) => `strict decoding error: unknown field "${field}"`),
    runtimeEndpoint:
      lastFlag(args, 'container-runtime-endpoint') ?? String(document.containerRuntimeEndpoint ?? RUNTIME_ENDPOINT),
  }
}

function judgeTypes(document: Record<string, unknown>): string | undefined {
  for (const [field, value] of Object.entries(document)) {
    const wanted = NUMBERS.includes(field)
      ? 'number'
      : BOOLEANS.includes(field)
        ? 'boolean'
        : DURATIONS.includes(field)
          ? 'string'
          : undefined
    if (wanted !== undefined && typeof value !== wanted)
      return `json: cannot unmarshal ${typeof value} into Go struct field ${field}`
    if (DURATIONS.includes(field) && !/^(?:\d+(?:\.\d+)?(?:ms|s|m|h))+$|^0$/.test(String(value)))
      return `time: invalid duration "${String(value)}"`
  }
  return undefined
}

function lastFlag(args: readonly string[], name: string): string | undefined {
  return args.findLast((arg) => arg.startsWith(`--${name}=`))?.slice(name.length + 3)
}

function refuse(message: string): LaunchVerdict {
  return { ok: false, exit: 1, message }
}

export function minorOf(version: string): number {
  return Number(/^v?\d+\.(\d+)/.exec(version)?.[1] ?? 0)
}
