SELECT format('to the device %.9g, from it %.9g', pcie_h2d_utilisation, pcie_d2h_utilisation) FROM system
