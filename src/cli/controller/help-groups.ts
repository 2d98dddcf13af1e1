import type { Command } from 'commander'

/** Headings of the help, each with the options below it; an option belongs to the first heading that names it. */
const HEADINGS: readonly (readonly [heading: string, options: RegExp])[] = [
  ['Repository:', /^(repo|path|cluster|poll|branch|tag|semver|commit|allow-force-push|state-dir)$/],
  [
    'Access to the repository:',
    /^(username|password|token|ca|client-cert|client-key|ssh-.*|github-app.*)(-file|-id)$|^insecure-http$/,
  ],
  ['Limits of the repository:', /^git-/],
  ['Trust and secrets:', /^(commit-|age-key|signing-key|secrets-|payload-|no-ceiling)/],
  ['Cluster:', /^(kubeconfig|namespace|revisions-namespace|annotation-prefix)$/],
  ['Leader election:', /^leader-elect/],
  ['Gates:', /^(gates-|prometheus-)/],
  ['Forge:', /^(webhook-|status-|deployments|revert-)/],
  ['Observation:', /^(log-format|metrics-|dashboard-|notifications|traces-)/],
]

/** Puts each option below its heading; without that, the help is one list of sixty options. */
export function groupOptions(command: Command): Command {
  for (const option of command.options) {
    const name = option.long?.slice(2) ?? ''
    const [heading] = HEADINGS.find(([, names]) => names.test(name)) ?? []
    if (heading !== undefined) option.helpGroup(heading)
  }
  return command
}
