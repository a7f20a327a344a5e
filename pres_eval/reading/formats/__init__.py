"""Files in other formats than trec_eval's, recognised by how they begin."""
