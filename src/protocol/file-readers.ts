/** Who reads a file of a host, so that a change of it is no quiet one. */
export type FileReader =
  /** Not to be managed as a plain file: it would count only at the next restart, unproved. `remedy` says how it is done right. */
  | { readonly kind: 'refused'; readonly because: string; readonly remedy: string }
  /** It counts as soon as it is there, without any restart of ours. */
  | { readonly kind: 'disturbs'; readonly because: string }

const FLAGS = { because: "it has the kubelet's flags", remedy: 'write them as kubelet.flags of the pool' }
const CREDENTIAL = {
  because: "it is the kubelet's own credential",
  remedy: 'leave it to kubeadm; a machine joins another cluster by kubeadm',
}

const REFUSED: ReadonlyMap<string, { readonly because: string; readonly remedy: string }> = new Map([
  [
    '/var/lib/kubelet/config.yaml',
    { because: "it is the kubelet's configuration", remedy: 'write a KubeletConfig and name it in kubelet.config' },
  ],
  ['/var/lib/kubelet/kubeadm-flags.env', FLAGS],
  ['/etc/default/kubelet', FLAGS],
  ['/etc/sysconfig/kubelet', FLAGS],
  ['/usr/bin/kubelet', { because: 'it is the kubelet', remedy: 'name a version and a KubeletRelease in the pool' }],
  ['/etc/kubernetes/kubelet.conf', CREDENTIAL],
  ['/etc/kubernetes/bootstrap-kubelet.conf', CREDENTIAL],
])

/** What limits or starts the agent is not the repository's to change. */
const OWNERS: readonly { readonly pattern: RegExp; readonly because: string; readonly remedy: string }[] = [
  {
    pattern: /^\/etc\/nodewave\/(policy\.yaml$|trusted-keys(\/|$))/,
    because: 'the owner of the host limits the agent there',
    remedy: 'change it on the host, or with what installs the agent',
  },
  {
    pattern:
      /^\/(?:(?:etc|usr\/lib|lib)\/systemd\/system\/nodewave-agent\.service|etc\/(?:init|conf)\.d\/nodewave-agent|etc\/sv\/nodewave-agent\/.+)$/,
    because: "it is the agent's own unit",
    remedy: 'install the agent again, or write a drop-in in nodewave-agent.service.d where systemd runs',
  },
]

/** `service.d` is of every service, and `kubelet-.service.d` of each whose name begins like that. */
const OF_MANY_UNITS = /^\/(?:etc|run|usr\/local\/lib|usr\/lib|lib)\/systemd\/system\/(?:[a-z]+|[^/]*-\.[a-z]+)\.d\/[^/]+\.conf$/

const DISTURBING = [
  { directory: '/etc/kubernetes/manifests/', because: 'the kubelet restarts the static pod' },
  { directory: '/etc/containerd/certs.d/', because: 'the container runtime pulls images by it' },
  { directory: '/etc/cni/net.d/', because: 'the container runtime sets up every new pod by it' },
  { directory: '/opt/cni/bin/', because: 'the container runtime runs it for every new pod' },
]

/** @returns undefined when nobody is known to read it, or only a unit that the document restarts. */
export function readerOf(path: string): FileReader | undefined {
  const refused = REFUSED.get(path) ?? OWNERS.find(({ pattern }) => pattern.test(path))
  if (refused !== undefined) return { kind: 'refused', because: refused.because, remedy: refused.remedy }
  if (OF_MANY_UNITS.test(path))
    return { kind: 'refused', because: 'many units read it', remedy: 'write it as dropIns of each unit, under units' }
  const found = DISTURBING.find(({ directory }) => path.startsWith(directory))
  return found && { kind: 'disturbs', because: found.because }
}

const SYSCTL_FILE = /^\/(?:(?:etc|run|usr\/local\/lib|usr\/lib|lib)\/sysctl\.d\/.*\.conf|etc\/sysctl\.conf)$/

/** Settings of the kernel, for each boot. */
export function isSysctlFile(path: string): boolean {
  return SYSCTL_FILE.test(path)
}

/** Read when the service starts, and not before. */
const SERVICES = [
  { pattern: /^\/etc\/containerd\/(?!certs\.d\/).*\.toml$/, service: 'containerd.service' },
  { pattern: /^\/etc\/crio\/.*\.conf$/, service: 'crio.service' },
  { pattern: /^\/etc\/docker\/daemon\.json$/, service: 'docker.service' },
  { pattern: SYSCTL_FILE, service: 'systemd-sysctl.service' },
]

/** The service that has to restart before a file counts. */
export function serviceReading(path: string): string | undefined {
  return SERVICES.find(({ pattern }) => pattern.test(path))?.service
}

/** @param restartOn files on which units of the same document restart @returns undefined when the change counts at once, or is proved */
export function readByService(path: string, restartOn: readonly string[]): Extract<FileReader, { kind: 'refused' }> | undefined {
  const service = serviceReading(path)
  if (service === undefined || restartOn.includes(path)) return undefined
  return {
    kind: 'refused',
    because: `${service} reads it only when it starts, so the change would count at some later reboot, unproved`,
    remedy: `add under units: {name: ${service}, restartOn: [${path}]}`,
  }
}

const SCRIPT = /^\/etc\/(?:(?:init|conf)\.d\/([^/]+)|sv\/([^/]+)\/.+)$/

/** The unit of a script or its settings, where OpenRC, runit or sysvinit starts services. Elsewhere nothing has that name, as a rule. */
export function unitOfScript(path: string): string | undefined {
  const [, script, directory] = SCRIPT.exec(path) ?? []
  const service = script ?? directory
  return service === undefined ? undefined : `${service}.service`
}

const UNIT_FILE = /^\/(?:etc|run|usr\/local\/lib|usr\/lib|lib)\/systemd\/system\/([^/]+\.[a-z]+?)(?:\.d\/[^/]+\.conf)?$/

/** The unit that a file below systemd's directory belongs to: `/etc/systemd/system/a.service.d/10-x.conf` is of `a.service`. */
export function unitOfFile(path: string): string | undefined {
  return UNIT_FILE.exec(path)?.[1]
}
