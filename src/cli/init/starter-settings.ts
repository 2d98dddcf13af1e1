/** Where a fleet repository keeps the schemas: nodewave reads no folder whose name begins with a dot. */
export const SCHEMAS_FOLDER = '.nodewave/schemas'

/** What a fleet repository has beside its documents. */
export function starterSettings(version: string, origin: keyof typeof ORIGINS): Readonly<Record<string, string>> {
  return {
    'README.md': readme(version, ORIGINS[origin]),
    '.gitignore': GITIGNORE,
    CODEOWNERS,
    '.vscode/settings.json': `${JSON.stringify(EDITOR_SETTINGS, null, 2)}\n`,
  }
}

const EDITOR_SETTINGS = { 'yaml.schemas': { [`./${SCHEMAS_FOLDER}/nodewave.json`]: '*.yaml' } }

const GITIGNORE = `# Credentials and private keys never belong into the repository.
kubeconfig
*.kubeconfig
*.key

node_modules/
nodewave-plan.md
`

const CODEOWNERS = `# Who has to review which change. Enter your teams, remove the "# ", and protect the branch: reviews by code owners are
# required. GitHub and GitLab read this file as it is; Gitea and Forgejo expect regular expressions, such as ".*".
# *        @OWNER/platform
# /pools/  @OWNER/node-owners
`

interface Origin {
  /** Rows of the table of paths. */
  readonly paths: string
  /** How the first rollout comes about. */
  readonly start: string
}

const ORIGINS = {
  new: {
    paths: '| `flags/` | FlagSets, which pools share |',
    start: `## The first node

Nothing changes until a node has the label of a pool:

\`\`\`
kubectl label node NAME node-restriction.kubernetes.io/pool=workers
\`\`\`

Its kubelet then gets the flags of \`flags/baseline.yaml\`, and restarts. Nodes that run already can be imported instead, such that the first rollout
changes nothing: \`nodewave init OTHER_FOLDER --from-cluster\`.
`,
  },
  imported: {
    paths: `| \`flags/\`, \`config/\`, \`hosts/\` | FlagSets, KubeletConfigs and HostProfiles, which pools share |
| \`releases/\` | where kubelets come from, with their checksums |
| \`overrides/\` | what differs on one node |`,
    start: `## The first rollout

These files say what the nodes ran when they were written. The first rollout changes no file and restarts no kubelet. Comments in the files name what was
left as it is, and why. \`nodewave plan . --from none\` shows what the first rollout assigns to each node.
`,
  },
} as const satisfies Record<string, Origin>

function readme(version: string, origin: Origin): string {
  return `# Fleet

What the nodes of a Kubernetes cluster run, as nodewave applies it. A push to the branch that the controller
follows is a rollout.

| path | what it has |
|---|---|
| \`fleet.yaml\` | defaults of all pools |
| \`pools/\` | a NodePool in each file: which nodes, which flags and configuration, in which waves |
${origin.paths}
| \`${SCHEMAS_FOLDER}/\` | JSON schemas of nodewave ${version}, for editors |

## Change something

\`\`\`
nodewave validate .                          # every problem, with its file and line
kubectl get nodes -o json > nodes.json
nodewave plan . --nodes nodes.json           # which nodes change, how, and in which waves
git commit -a && git push
nodewave status --watch
\`\`\`

To undo a change, push the commit of \`git revert\`.

${origin.start}
## Editors

The first line of each document names its schema for editors with the YAML language server, such as Visual Studio Code with the extension YAML
(redhat.vscode-yaml). They complete and check as you write. Begin new documents with the same line; in \`pools/\` it is:

\`\`\`yaml
# yaml-language-server: $schema=../${SCHEMAS_FOLDER}/nodewave.json
\`\`\`

\`nodewave.json\` knows the fields and flags of every kubelet that nodewave knows. With \`nodewave-1.36.json\` in its place, only those of that version are
completed.
`
}
