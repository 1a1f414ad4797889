/** Names of environments, in agent files too. Folders whose names begin with a dot are incomplete. */
export const environmentName = /^[a-z][a-z0-9-]{0,39}$/;
