import { parseHostPolicy, violationIn } from '../../../src/agent/policy/host-policy.ts'

const REQUESTED = {
  version: '1.36.3',
  document: {
    files: [{ path: '/etc/motd', content: 'x' }],
    units: [{ name: 'chrony.service' }],
    archives: [{ url: 'https://dl.k8s.io/x', sha256: '0'.repeat(64), directory: '/opt/x' }],
  },
}

/** A policy that cannot be read allows nothing: any error will do, and no crash is worse than that. */
export function policies(input: Buffer): void {
  let policy: ReturnType<typeof parseHostPolicy>
  try {
    policy = parseHostPolicy(input.toString())
  } catch (error) {
    if (error instanceof Error && !['RangeError', 'TypeError'].includes(error.name)) return
    throw error
  }
  violationIn(policy, REQUESTED)
}
